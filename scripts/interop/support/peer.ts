/** Another mail server for one run: it relays what its port accepts to one port. */
export interface Peer {
  readonly port: number
  stop(): Promise<void>
}
