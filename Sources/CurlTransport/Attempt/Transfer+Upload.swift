import Transporting

extension Transfer: PullReceiver {
    /// Gets the next piece of the request's body, so that libcurl finds it when it asks.
    func pullUpload(_ state: TransferState.Pointer) {
        guard let upload else { return }
        while state.pointee.upload.wantsPiece, !isUploadPulled, ending == nil {
            if let piece = upload.take() {
                accept(piece, state)
            } else {
                isUploadPulled = true
                uploadSerial += 1
                upload.pull(Pull(self, serial: uploadSerial))
                return
            }
        }
    }

    /// The source's answer, from whatever thread.
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

    private func accept(_ piece: Piece, _ state: TransferState.Pointer) {
        if let error = state.pointee.upload.accept(piece) { return end(error) }
        if !state.pointee.upload.wantsPiece { sendOn(state) }
    }
}
