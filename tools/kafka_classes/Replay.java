import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;

/**
 * What Kafka's generated classes make of messages. A line in is an operation, and a line out a JSON object:
 *
 * versions CLASS              the versions that a class supports
 * read CLASS VERSION HEX      the bytes that it writes after reading these, how many it left, and its value
 * write CLASS VERSION READ JSON  the bytes that it writes in VERSION of a value read as JSON of version READ
 */
public class Replay {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode answer = MAPPER.createObjectNode();
            try {
                answer(line.split("\t"), answer);
            } catch (UnsupportedVersionException error) {
                answer.put("unsupported", String.valueOf(error.getMessage()));
            } catch (RuntimeException error) {
                answer.put("error", String.valueOf(error));
            }
            out.println(MAPPER.writeValueAsString(answer));
            out.flush();
        }
    }

    private static void answer(String[] words, ObjectNode answer) throws Exception {
        Class<?> type = Class.forName(words[1]);
        Message message = (Message) type.getConstructor().newInstance();
        if (words[0].equals("versions")) {
            answer.put("lowest", message.lowestSupportedVersion());
            answer.put("highest", message.highestSupportedVersion());
            return;
        }
        short version = Short.parseShort(words[2]);
        Class<?> converter = Class.forName(words[1] + "JsonConverter");
        if (words[0].equals("read")) {
            String hex = words.length > 3 ? words[3] : "";
            ByteBuffer data = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
            message.read((Readable) new ByteBufferAccessor(data), version);
            answer.put("left", data.remaining());
            answer.put("bytes", written(message, version));
            answer.set("value", (JsonNode) called(converter.getMethod("write", type, short.class), message, version));
        } else {
            short read = Short.parseShort(words[3]);
            JsonNode value = MAPPER.readTree(words[4]);
            Object filled = called(converter.getMethod("read", JsonNode.class, short.class), value, read);
            answer.put("bytes", written((Message) filled, version));
        }
    }

    private static Object called(java.lang.reflect.Method method, Object first, short version) throws Exception {
        try {
            return method.invoke(null, first, version);
        } catch (java.lang.reflect.InvocationTargetException error) {
            if (error.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw error;
        }
    }

    private static String written(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer data = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(data), cache, version);
        if (data.hasRemaining()) {
            throw new IllegalStateException(data.remaining() + " bytes less than its size");
        }
        return HexFormat.of().formatHex(data.array());
    }
}
