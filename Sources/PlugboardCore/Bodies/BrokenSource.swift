import PlugboardBorder

/// A body that fails at once.
final class BrokenSource: BodySource {
    var length: Int? { nil }

    func pull(_ pull: Pull) {
        pull.fail(
            PlugboardError(
                .bodyRewind,
                "The request's body had begun and cannot be sent again. "
                    + "Send it as bytes or as a file if the request may have to be repeated."))
    }
}
