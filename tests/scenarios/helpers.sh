# Functions for the commands of scenarios; each scenario runs in a fresh folder.
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

# spec PATH TYPE NAME KEY VERSIONS [FIELD TYPE [MORE FIELDS]]: writes one message with an int32, or a field of another type.
spec() {
  mkdir -p "$(dirname "$1")"
  local key=""; [ "$4" = - ] || key="\"apiKey\": $4, "
  printf '{ %s"type": "%s", "name": "%s",\n  "validVersions": "%s", "flexibleVersions": "0+",\n  "fields": [\n    { "name": "%s", "type": "%s", "versions": "0+", "about": "A value." }%s\n  ] }\n' \
    "$key" "$2" "$3" "$5" "${6:-Value}" "${7:-int32}" "${8:-}" > "$1"
}

# pair FOLDER API KEY VERSIONS [FIELD TYPE [MORE FIELDS]]: writes a request and its response.
pair() {
  spec "$1/$2Request.json" request "$2Request" "$3" "$4" "${@:5}"
  spec "$1/$2Response.json" response "$2Response" "$3" "$4" "${@:5}"
}

# commit SUBJECT: commits everything.
commit() { git add -A && git commit -q -m "$1"; }

# started: a repository on main whose first commit has an API Foo with one version.
started() { git init -q -b main . && pair m Foo 900 0 && commit "Add Foo"; }

# cloned: a clone of ../server, a repository as `started` makes it.
cloned() { mkdir ../server && (cd ../server && started) && git clone -q ../server .; }

# broken [FOLDER]: the field of Foo gets another type, which is a break.
broken() { pair "${1:-m}" Foo 900 0 Value int64; }

# version_1 TYPE: Foo gets a version 1 with a new field.
version_1() { pair m Foo 900 0-1 Value int32 ", { \"name\": \"New\", \"type\": \"$1\", \"versions\": \"1+\", \"ignorable\": true, \"about\": \"New.\" }"; }

# settings LINE…: writes wirebook.toml.
settings() { printf '%s\n' "$@" > wirebook.toml; }
