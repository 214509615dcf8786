/** Gives back memory that will not be needed again, such as that of starting. It holds the thread for a tenth of a second. */
export function collectGarbage(): void {
  // Without --expose-gc (server/posthouse has it) V8 does it when it comes to it.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
