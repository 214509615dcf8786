/** Another mail server, started for one run: what it takes on its port it relays to one port. */
export interface Peer {
  readonly port: number
  stop(): Promise<void>
}
