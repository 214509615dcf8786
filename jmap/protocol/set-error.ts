/** RFC 8620 5.3: errors of one record in a /set, /copy or /import. They are returned values: the method continues with the next record. */

export const SET_ERROR_TYPES = [
  // RFC 8620 5.3: any record.
  'forbidden',
  'overQuota',
  'tooLarge',
  'rateLimit',
  'notFound',
  'invalidPatch',
  'willDestroy',
  'invalidProperties',
  'singleton',
  // RFC 8620 5.4, RFC 8621 2.5, 4.8: /copy, Mailbox/set, Email/import.
  'alreadyExists',
  // RFC 8621 2.5: Mailbox/set.
  'mailboxHasChild',
  'mailboxHasEmail',
  // RFC 8621 4.6: Email/set.
  'blobNotFound',
  'tooManyKeywords',
  'tooManyMailboxes',
  // RFC 8621 4.8, 7.5: Email/import and EmailSubmission/set.
  'invalidEmail',
  // RFC 8621 6.3, 7.5: Identity/set and EmailSubmission/set.
  'forbiddenFrom',
  // RFC 8621 7.5: EmailSubmission/set.
  'tooManyRecipients',
  'noRecipients',
  'invalidRecipients',
  'forbiddenMailFrom',
  'forbiddenToSend',
  'cannotUnsend',
  // RFC 9007 2.1: MDN/send.
  'mdnAlreadySent',
  // RFC 9661 2.4: SieveScript/set.
  'invalidSieve',
  'sieveIsActive',
  // RFC 9610 2.3: AddressBook/set.
  'addressBookHasContents',
  // JMAP Calendars (draft-ietf-jmap-calendars): Calendar/set and CalendarEvent/set.
  'calendarHasEvent',
  'noSupportedScheduleMethods',
  // urn:posthouse:params:jmap:service: the domain of an address is not verified yet.
  'domainNotVerified',
  // urn:posthouse:params:jmap:service: Mailbox/set, if inbox rules move mail there (decision D9).
  'mailboxUsedByRule',
  // urn:posthouse:params:jmap:service: BookingPage/set, the provider is not connected to the mailbox (decision D23).
  'providerNotConnected',
  // urn:posthouse:params:jmap:service: Import/set, the source cannot be used (decisions D12 and D33).
  'sourceAuthenticationFailed',
  'sourceTlsUntrusted',
  'sourceUnreachable',
  // urn:posthouse:params:jmap:service: purchases need a subscription and a payment (decisions D1 and D7).
  'subscriptionRequired',
  'noPaymentMethod',
  'paymentFailed',
  // urn:posthouse:params:jmap:service: Domain/search, Domain/register and Domain/applyDns (decision D33).
  'registrarNotConfigured',
  'domainUnavailable',
  'dnsProviderNotConfigured',
  'dnsProviderRefused',
  'billingNotConfigured',
  // urn:posthouse:params:jmap:service: Newsletter/set, only drafts can be changed (decision D19).
  'invalidState',
  // urn:posthouse:params:jmap:service: Email/send, one message failed while others were sent.
  'serverUnavailable',
  'serverFail',
] as const

export type SetErrorType = (typeof SET_ERROR_TYPES)[number]

/** Codes of the details of errors (decision D1). */
export type FaultCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'too_short'
  | 'too_long'
  | 'out_of_range'
  | 'not_allowed'

/** What is wrong at one place within a property. */
export type Fault = {
  /** Of the member at fault: `blocks/3/url`. */
  readonly path: string
  readonly code: FaultCode
  /** A sentence that names what is right. */
  readonly message: string
}

export type SetError = {
  readonly type: SetErrorType
  /** For developers, in English. Clients see it, so it never contains internal text. */
  readonly description?: string
  /** RFC 8620 5.3 invalidProperties, RFC 8621 7.5 invalidEmail: all invalid properties. */
  readonly properties?: readonly string[]
  /** RFC 8620 5.4: alreadyExists. */
  readonly existingId?: string
  /** RFC 8621 4.6: blobNotFound. */
  readonly notFound?: readonly string[]
  /** RFC 8621 7.5: tooLarge, in octets. */
  readonly maxSize?: number
  /** RFC 8621 7.5: tooManyRecipients. */
  readonly maxRecipients?: number
  /** RFC 8621 7.5: invalidRecipients. */
  readonly invalidRecipients?: readonly string[]
  /** Vendor: those of `invalidRecipients` that are suppressed (decision D25). */
  readonly suppressed?: readonly string[]
  /** Vendor, overQuota: the reached limit of the plan. */
  readonly quota?: QuotaReached
  /** Vendor, rateLimit: seconds until a retry may succeed. */
  readonly retryAfter?: number
  /** domainNotVerified: the domain's name. */
  readonly domain?: string
  /** Vendor, invalidProperties: the places within the properties. */
  readonly faults?: readonly Fault[]
  /** mailboxUsedByRule: all rules that move mail there. */
  readonly rules?: readonly UsingRule[]
}

/** Any error without further properties. */
export function setError(type: SetErrorType, description?: string): SetError {
  return description === undefined ? { type } : { type, description }
}

/** @param properties all properties at fault, by top-level name */
export function invalidProperties(properties: readonly string[], description?: string): SetError {
  return { ...setError('invalidProperties', description), properties }
}

/** @param property the top-level property of the patch, if there is one */
export function invalidPatch(description: string, property?: string): SetError {
  return { ...setError('invalidPatch', description), ...(property !== undefined && { properties: [property] }) }
}

export function alreadyExists(existingId: string, description?: string): SetError {
  return { ...setError('alreadyExists', description), existingId }
}

export function blobNotFound(blobIds: readonly string[]): SetError {
  return { type: 'blobNotFound', notFound: blobIds }
}

/** @param maxSize allowed octets; RFC 8621 7.5 requires it for submissions */
export function tooLarge(maxSize: number, description?: string): SetError {
  return { ...setError('tooLarge', description), maxSize }
}

/** @param properties of the Email, not of the EmailSubmission. */
export function invalidEmail(properties: readonly string[], description?: string): SetError {
  return { ...setError('invalidEmail', description), properties }
}

export function tooManyRecipients(maxRecipients: number): SetError {
  return { type: 'tooManyRecipients', maxRecipients }
}

export function invalidRecipients(addresses: readonly string[], description?: string): SetError {
  return { ...setError('invalidRecipients', description), invalidRecipients: addresses }
}

export type QuotaReached = {
  readonly resource: 'mailboxes' | 'aliases' | 'sends'
  readonly used: number
  readonly limit: number
  readonly plan: string
}

/** @param what as in "Mailbox limit reached" */
export function planLimitReached(what: string, quota: QuotaReached): SetError {
  const { used, limit, plan } = quota
  return { ...setError('overQuota', `${what} limit reached: ${used} of ${limit} on the ${plan} plan.`), quota }
}

export function suppressedRecipients(addresses: readonly string[]): SetError {
  const description = `Nothing is sent to these addresses, which are suppressed: ${addresses.join(', ')}.`
  return { ...invalidRecipients(addresses, description), suppressed: addresses }
}

/** An inbox rule, by id and name. */
export type UsingRule = { readonly id: string; readonly name: string }

export function mailboxUsedByRule(rules: readonly UsingRule[]): SetError {
  const names = rules.map(({ name }) => `"${name}"`).join(', ')
  return { type: 'mailboxUsedByRule', description: `Inbox rules move mail to this mailbox: ${names}.`, rules }
}

export function domainNotVerified(domain: string): SetError {
  return { type: 'domainNotVerified', description: `The domain ${domain} is not verified yet.`, domain }
}
