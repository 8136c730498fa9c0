import java.util.List;
import org.apache.kafka.message.MessageGenerator;

/** Runs Kafka's own generator: PACKAGE OUTPUT INPUT, as often as wanted. */
public class Generate {
    public static void main(String[] arguments) throws Exception {
        for (int at = 0; at < arguments.length; at += 3) {
            boolean isApis = arguments[at].equals("org.apache.kafka.common.message");
            MessageGenerator.processDirectories(arguments[at], arguments[at + 1], arguments[at + 2],
                isApis ? List.of("ApiMessageTypeGenerator") : List.of(),
                List.of("MessageDataGenerator", "JsonConverterGenerator"));
        }
    }
}
