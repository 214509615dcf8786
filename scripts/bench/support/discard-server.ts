/**
 * The upper bound of our stack: npm's smtp-server that accepts every message and discards it. Prints its port and serves until it is
 * killed.
 */
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData(stream, _session, callback) {
    stream.on('data', () => {})
    stream.on('end', () => callback())
  },
})
server.on('error', () => {})
const listener = server.listen(0, '127.0.0.1', () => {
  console.log((listener.address() as { port: number }).port)
})
