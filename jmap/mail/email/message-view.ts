/** A message of which parts are read when needed. */
import type { MessageStructure } from '../../message/structure.ts'
export interface MessageView {
  structure(): Promise<MessageStructure>
  range(start: number, end: number): Promise<Uint8Array>
  blobId(part: number): string
}
