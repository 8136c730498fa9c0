// Record batches by the classes of Kafka's Java client, and what these classes read of batches.
//
// `write` prints a line of JSON for each case: its name and its bytes. `read` prints what each line of hex on
// standard input holds: a JSON list of batches.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.LeaderChangeMessage.Voter;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

public class RecordVectors {
    static final long TIME = 1_700_000_000_000L;
    static final Header[] NONE = new Header[0];
    static final Uuid DIRECTORY = new Uuid(0x6f1e2c3d8a9b4c5dL, 0x1e0fa1b2c3d4e5f6L);

    interface Filler {
        void fill(MemoryRecordsBuilder builder);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("write")) {
            write();
            return;
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(read(HexFormat.of().parseHex(line)));
        }
    }

    static void write() {
        for (CompressionType type : CompressionType.values()) {
            Compression compression = Compression.of(type).build();
            for (byte magic = 0; magic <= 2; magic++) {
                if (type == CompressionType.ZSTD && magic < 2) continue;

                print("magic " + magic + ", " + type.name, build(magic, compression, TimestampType.CREATE_TIME, 1042, builder -> {
                    builder.append(TIME, "k1".getBytes(), "hello".getBytes());
                    builder.append(TIME + 7, null, "hello, hello, hello, hello, hello".getBytes());
                    builder.append(TIME + 3, "k1".getBytes(), (byte[]) null);
                }));
                if (magic == 0) continue;
                print("magic " + magic + ", " + type.name + ", LogAppendTime", build(magic, compression, TimestampType.LOG_APPEND_TIME, 7, builder -> {
                    builder.append(TIME, new byte[0], new byte[0]);
                    builder.append(TIME + 7, (byte[]) null, (byte[]) null);
                }));
            }
        }
        Compression none = Compression.NONE;
        print("headers", build((byte) 2, none, TimestampType.CREATE_TIME, 0, builder -> builder.append(
            TIME, "k".getBytes(), "v".getBytes(),
            new Header[] {new RecordHeader("trace", new byte[] {1, 2}), new RecordHeader("é", (byte[]) null), new RecordHeader("", new byte[0])})));
        print("gaps in the offsets", build((byte) 2, none, TimestampType.CREATE_TIME, 100, builder -> {
            builder.appendWithOffset(102, TIME + 1000, null, "a".getBytes(), NONE);
            builder.appendWithOffset(300, TIME - 1000, null, "b".getBytes(), NONE);
            builder.overrideLastOffset(999);
        }));
        print("gaps in the offsets of a compressed message", build((byte) 1, Compression.gzip().build(), TimestampType.CREATE_TIME, 100, builder -> {
            builder.appendWithOffset(102, TIME, (byte[]) null, "a".getBytes());
            builder.appendWithOffset(107, TIME, (byte[]) null, "b".getBytes());
        }));
        print("idempotent", producer(false));
        print("transactional", producer(true));
        ByteBuffer horizon = ByteBuffer.allocate(1024);
        MemoryRecordsBuilder late = new MemoryRecordsBuilder(new ByteBufferOutputStream(horizon), (byte) 2, none, TimestampType.CREATE_TIME,
            50, -1, -1, (short) -1, -1, false, false, 3, 1024, TIME + 86_400_000);
        late.append(TIME, "k".getBytes(), (byte[]) null);
        print("delete horizon", bytes(late.build().buffer()));
        ByteBuffer empty = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(empty, (byte) 2, 4000, (short) 3, 17, 100, 109, 5, TimestampType.CREATE_TIME, TIME, true, false);
        empty.flip();
        print("no records left", bytes(empty));
        for (ControlRecordType type : List.of(ControlRecordType.COMMIT, ControlRecordType.ABORT)) {
            print(type.name(), bytes(MemoryRecords.withEndTransactionMarker(
                1050, TIME, 5, 4000, (short) 3, new EndTransactionMarker(type, 12)).buffer()));
        }
        LeaderChangeMessage change = new LeaderChangeMessage().setVersion((short) 0).setLeaderId(1)
            .setVoters(List.of(new Voter().setVoterId(1), new Voter().setVoterId(2)))
            .setGrantingVoters(List.of(new Voter().setVoterId(1)));
        print("LEADER_CHANGE", bytes(MemoryRecords.withLeaderChangeMessage(0, TIME, 5, ByteBuffer.allocate(512), change).buffer()));
        print("SNAPSHOT_HEADER", bytes(MemoryRecords.withSnapshotHeaderRecord(0, TIME, 5, ByteBuffer.allocate(512),
            new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(TIME - 1)).buffer()));
        print("SNAPSHOT_FOOTER", bytes(MemoryRecords.withSnapshotFooterRecord(9, TIME, 5, ByteBuffer.allocate(512),
            new SnapshotFooterRecord().setVersion((short) 0)).buffer()));
        print("KRAFT_VERSION", bytes(MemoryRecords.withKRaftVersionRecord(1, TIME, 5, ByteBuffer.allocate(512),
            new KRaftVersionRecord().setVersion((short) 0).setKRaftVersion((short) 1)).buffer()));
        VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
        endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("controller-1.example.org").setPort(9093));
        VotersRecord voters = new VotersRecord().setVersion((short) 0).setVoters(List.of(new VotersRecord.Voter()
            .setVoterId(1).setVoterDirectoryId(DIRECTORY).setEndpoints(endpoints)
            .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature().setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1))));
        print("KRAFT_VOTERS", bytes(MemoryRecords.withVotersRecord(2, TIME, 5, ByteBuffer.allocate(512), voters).buffer()));
        for (short version = 0; version <= 3; version++) {
            Subscription subscription = new Subscription(List.of("orders", "payments"), ByteBuffer.wrap(new byte[] {1}),
                List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 2)), 7, java.util.Optional.of("rack-a"));
            print("ConsumerProtocolSubscription " + version, bytes(ConsumerProtocol.serializeSubscription(subscription, version)));
            Assignment assignment = new Assignment(List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1)));
            print("ConsumerProtocolAssignment " + version, bytes(ConsumerProtocol.serializeAssignment(assignment, version)));
        }
    }

    static byte[] build(byte magic, Compression compression, TimestampType type, long base, Filler filler) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1024), magic, compression, type, base, TIME + 100);
        filler.fill(builder);
        return bytes(builder.build().buffer());
    }

    static byte[] producer(boolean transactional) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1024), (byte) 2, Compression.NONE,
            TimestampType.CREATE_TIME, 1049, -1, 4000, (short) 3, 17, transactional, 5);
        builder.append(TIME, null, "paid".getBytes());
        return bytes(builder.build().buffer());
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] made = new byte[buffer.remaining()];
        buffer.duplicate().get(made);
        return made;
    }

    static void print(String name, byte[] data) {
        System.out.println("{\"name\": \"" + name + "\", \"hex\": \"" + HexFormat.of().formatHex(data) + "\"}");
    }

    static String read(byte[] data) {
        List<String> batches = new ArrayList<>();
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
            List<String> records = new ArrayList<>();
            for (Record record : batch) {
                List<String> headers = new ArrayList<>();
                for (Header header : record.headers()) headers.add("[" + quoted(header.key()) + ", " + hex(header.value()) + "]");
                records.add("{\"offset\": " + record.offset() + ", \"timestamp\": " + record.timestamp()
                    + ", \"key\": " + hex(record.hasKey() ? bytes(record.key()) : null)
                    + ", \"value\": " + hex(record.hasValue() ? bytes(record.value()) : null)
                    + ", \"headers\": [" + String.join(", ", headers) + "]}");
            }
            boolean plain = batch.magic() < 2;
            batches.add("{\"valid\": " + (plain || batch.isValid()) + ", \"magic\": " + batch.magic()
                + ", \"last_offset\": " + batch.lastOffset() + ", \"leader_epoch\": " + batch.partitionLeaderEpoch()
                + ", \"compression\": " + quoted(batch.compressionType().name)
                + ", \"timestamp_type\": " + quoted(batch.timestampType().name)
                + ", \"producer\": [" + batch.producerId() + ", " + batch.producerEpoch() + ", " + batch.baseSequence() + "]"
                + ", \"transactional\": " + batch.isTransactional() + ", \"control\": " + batch.isControlBatch()
                + ", \"delete_horizon\": " + batch.deleteHorizonMs().orElse(-1)
                + ", \"records\": [" + String.join(", ", records) + "]}");
        }
        return "[" + String.join(", ", batches) + "]";
    }

    static String hex(byte[] data) {
        return data == null ? "null" : "\"" + HexFormat.of().formatHex(data) + "\"";
    }

    static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            made.append(letter > 31 && letter < 127 && letter != '"' && letter != '\\' ? "" + letter : String.format("\\u%04x", (int) letter));
        }
        return made.append('"').toString();
    }
}
