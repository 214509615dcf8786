// The first step of `npm test`: on a Node that is too old it says so in one sentence.
import process from 'node:process'
import { findNodeFault } from '../../server/node-version.js'

const fault = findNodeFault(process.versions.node)
if (fault !== null) {
  process.stderr.write(fault)
  process.exitCode = 1
}
