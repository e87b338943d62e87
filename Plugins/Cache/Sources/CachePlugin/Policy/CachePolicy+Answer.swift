extension CachePolicy {
    /// What becomes of an answer. Interim answers (1xx) are not asked about.
    ///
    /// - Parameter resolve: The URL that a reference in the answer means, in normal form; nil if it means none.
    func decision(on answer: ReceivedAnswer, resolving resolve: (String) -> String?) -> AnswerDecision {
        AnswerDecision(status: CacheStatus(forwarded: answer.forward.reason))
    }
}
