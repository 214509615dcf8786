/** Frees the memory of large octets that nobody reads any more. The collector may leave it for long: its own heap hardly grows. */
import { FREED_FROM_BYTES } from './limits.ts'

/** Octets that can be transferred to another thread. */
export type WholeOctets = Uint8Array<ArrayBuffer>

/** Whether the octets have their memory to themselves: those of a pool, or a part of others, would take the rest along. */
export function isWhole(bytes: Uint8Array): bytes is WholeOctets {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
}

/** All views of the memory are empty afterwards. Small octets stay: they may share the memory of a pool. */
export function freeMemory({ buffer, length }: Uint8Array): void {
  if (length >= FREED_FROM_BYTES && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** The same for octets of any origin: they stay when they share their memory with others. */
export function freeWhole(bytes: Uint8Array): void {
  if (isWhole(bytes)) freeMemory(bytes)
}

/** The same whatever the size, for many octets that come one after the other. @returns whether they had their memory to themselves */
export function freePassing(bytes: Uint8Array): boolean {
  if (!isWhole(bytes)) return false
  bytes.buffer.transfer(0)
  return true
}
