/** A message whose parts are read on demand. */
import type { MessageStructure } from '../../message/structure.ts'
export interface MessageView {
  structure(): Promise<MessageStructure>
  range(start: number, end: number): Promise<Uint8Array>
  blobId(part: number): string
}
