import { CORE } from './capabilities.ts'
import type { Method } from './method.ts'

/** RFC 8620 4: returns its arguments. */
export const echoMethod: Method = {
  name: 'Core/echo',
  capability: CORE,
  writes: false,
  weight: () => 'little',
  access: null,
  args: null,
  run: async (_request, args) => args,
}
