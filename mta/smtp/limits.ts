import {
  SMTP_MAX_AUTH_FAILURES,
  SMTP_MAX_CONNECTIONS,
  SMTP_MAX_CONNECTIONS_PER_ADDRESS,
  SMTP_MAX_CONNECTIONS_PER_NETWORK,
  SMTP_MAX_ERRORS,
  SMTP_MAX_MESSAGE_BYTES,
  SMTP_MAX_MESSAGES_PER_CONNECTION,
  SMTP_MAX_RECEIVING_BYTES,
  SMTP_MAX_RECIPIENTS,
} from '../../server/base/smtp-limits.ts'

/** Limits of a listener that operators, and tests, may set; the reasons for the defaults are in server/base/limits.ts. */
export interface SmtpLimits {
  readonly maxMessageBytes: number
  readonly maxReceivingBytes: number
  readonly maxRecipients: number
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  readonly maxConnectionsPerNetwork: number
  readonly maxMessagesPerConnection: number
  readonly maxErrors: number
  readonly maxAuthFailures: number
}

export const DEFAULT_SMTP_LIMITS: SmtpLimits = {
  maxMessageBytes: SMTP_MAX_MESSAGE_BYTES,
  maxReceivingBytes: SMTP_MAX_RECEIVING_BYTES,
  maxRecipients: SMTP_MAX_RECIPIENTS,
  maxConnections: SMTP_MAX_CONNECTIONS,
  maxConnectionsPerAddress: SMTP_MAX_CONNECTIONS_PER_ADDRESS,
  maxConnectionsPerNetwork: SMTP_MAX_CONNECTIONS_PER_NETWORK,
  maxMessagesPerConnection: SMTP_MAX_MESSAGES_PER_CONNECTION,
  maxErrors: SMTP_MAX_ERRORS,
  maxAuthFailures: SMTP_MAX_AUTH_FAILURES,
}
