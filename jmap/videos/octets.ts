/** Octets that are somewhere else, and are read in parts. */
export interface Octets {
  readonly size: number
  /** From `start` up to, but not including, `end`; both are within the size. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** What a video is, by its own account. */
export interface VideoFacts {
  readonly type: 'video/mp4' | 'video/quicktime' | 'video/webm'
  /** Pixels; null: it does not say. */
  readonly width: number | null
  readonly height: number | null
  /** null: it does not say. */
  readonly durationSeconds: number | null
}

/** `fault` is the end of a sentence. */
export type VideoOutcome = VideoFacts | { readonly fault: string }
