/** `refused`: no request was made. `failed`, `wrongName`: the request failed; `wrongName`: the certificate belongs to another host. */
export type EgressFault = 'refused' | 'timeout' | 'tooLarge' | 'tooManyRedirects' | 'wrongName' | 'failed'

export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly fault: EgressFault

  constructor(fault: EgressFault, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.fault = fault
  }
}
