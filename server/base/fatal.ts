/** Faults after which a server cannot continue. It logs the fault, stops, and leaves the restart to its supervisor. */
export interface Fatal {
  /** `disk`: a write or a sync failed, so it is unknown what the disk holds (promise D3). `thread`: a thread died. */
  readonly cause: 'disk' | 'thread'
  readonly error: Error
}

/** Exit codes: EX_IOERR of sysexits.h for the disk. */
export const FATAL_EXIT_CODES: { readonly [C in Fatal['cause']]: number } = { disk: 74, thread: 1 }

/** The answers of status and probes about it. */
export const FATAL_WORDS: { readonly [C in Fatal['cause']]: string } = {
  disk: 'The disk failed; the server is ending.',
  thread: 'A thread died; the server is ending.',
}
