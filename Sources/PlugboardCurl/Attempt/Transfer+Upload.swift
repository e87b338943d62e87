import PlugboardTransport

extension Transfer: PullReceiver {
    /// Pulls the next piece of the request's body before libcurl needs it, but not before the server wants the body: a
    /// request whose body is untouched can be sent again.
    func pullUpload(_ state: TransferState.Pointer) {
        guard let upload, !state.pointee.upload.waitsForContinue else { return }
        while state.pointee.upload.wantsPiece, !isUploadPulled, ending == nil {
            if let piece = upload.nextIfReady() {
                accept(piece, state)
            } else {
                isUploadPulled = true
                uploadSerial += 1
                upload.pull(Pull(self, serial: uploadSerial))
                return
            }
        }
    }

    /// The source completes the pull, from any thread.
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        if multi.loop.isCurrent { return receiveOnLoop(piece, serial) }
        multi.loop.enqueue { [self] in _ = receiveOnLoop(piece, serial) }
        return true
    }

    private func receiveOnLoop(_ piece: Piece, _ serial: UInt64) -> Bool {
        guard isUploadPulled, serial == uploadSerial, let state else { return false }
        isUploadPulled = false
        accept(piece, state)
        touch()
        return true
    }

    /// Lets libcurl continue with the body. Limits the wait for 100 (Continue), and an upload after the whole response.
    func watchUpload(_ state: TransferState.Pointer) {
        if state.pointee.upload.canGoOn { sendOn(state) }
        if state.pointee.upload.waitsForContinue, state.pointee.upload.isWaiting { limitExpecting() }
        if state.pointee.isResponseWhole { limitUpload(state.pointee.upload.given + state.pointee.upload.sent) }
    }

    private func accept(_ piece: Piece, _ state: TransferState.Pointer) {
        if let error = state.pointee.upload.accept(piece) { return end(error) }
        if !state.pointee.upload.wantsPiece { sendOn(state) }
    }
}
