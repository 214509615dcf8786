import { setFlagsFromString } from 'node:v8'

/**
 * The launcher bounds the space for new objects by a flag, which is meant for the thread of the sockets. V8 would apply it to every thread that
 * starts later, over the bounds that the thread is given (`resourceLimits`), so it is taken back before.
 */
export function leaveBoundsToThreads(): void {
  setFlagsFromString('--max-semi-space-size=0')
}
