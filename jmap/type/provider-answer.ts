/** Answers of providers outside of this server: registrars and DNS providers. */

/** `refused`: it was not done, and asking again gives the same. `unreachable`: it may have been done; asking again may help. */
export type ProviderFault =
  | {
      readonly kind: 'refused'
      /** For the customer, as the end of a sentence, without secrets. */
      readonly reason: string
    }
  | {
      readonly kind: 'unreachable'
      readonly reason: string
      /** Milliseconds that the provider asks to wait; null: it does not say. */
      readonly retryAfter: number | null
    }

/** Requests to providers never reject: failures are values. */
export type ProviderAnswer<T> = { readonly kind: 'done'; readonly value: T } | ProviderFault
