import PlugboardInspectPage
import Testing

struct InspectPageTests {
}
