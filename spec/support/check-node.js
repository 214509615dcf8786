// The first step of `npm test`: an old Node gets a one-sentence message.
import process from 'node:process'
import { findNodeFault } from '../../server/node-version.js'

const fault = findNodeFault(process.versions.node)
if (fault !== null) {
  process.stderr.write(fault)
  process.exitCode = 1
}
