import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Listens on a free port of loopback until the test has ended. @returns the port */
export async function listenOnLoopback(t: Pick<Test, 'teardown'>, server: Server | SecureServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}
