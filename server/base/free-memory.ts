/** Frees the memory of large octets that nobody reads any more. The collector may leave it for long: its own heap hardly grows. */
import { FREED_FROM_BYTES } from './limits.ts'

/** All views of the memory are empty afterwards. Small octets stay: they may share the memory of a pool. */
export function freeMemory({ buffer, length }: Uint8Array): void {
  if (length >= FREED_FROM_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
