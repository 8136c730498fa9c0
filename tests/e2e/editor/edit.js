// What the language service of Visual Studio Code says of a spec: {schemas, folder, path, text, offset} to {errors, keys}.
const fs = require("fs");
const path = require("path");
const { getLanguageService, TextDocument } = require("vscode-json-languageservice");

const asked = JSON.parse(fs.readFileSync(0, "utf-8"));
const service = getLanguageService({
  workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
  schemaRequestService: async (uri) => fs.readFileSync(path.join(asked.folder, uri.replace("file:///", "")), "utf-8"),
});
service.configure({
  validate: true,
  schemas: asked.schemas.map((each) => ({ uri: each.url.replace("./", "file:///"), fileMatch: each.fileMatch })),
});
const document = TextDocument.create(`file:///${asked.path}`, "jsonc", 1, asked.text);
const parsed = service.parseJSONDocument(document);

async function main() {
  const errors = await service.doValidation(document, parsed, { comments: "ignore", schemaValidation: "error" });
  const keys = await service.doComplete(document, document.positionAt(asked.offset), parsed);
  const hover = await service.doHover(document, document.positionAt(asked.offset), parsed);
  console.log(JSON.stringify({
    errors: errors.map((each) => [each.range.start.line + 1, each.message]),
    keys: keys.items.map((each) => each.label),
    hover: hover === null ? "" : JSON.stringify(hover.contents),
  }));
}

main();
