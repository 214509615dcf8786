/** RFC 8621 4.1.3: the convenience properties of an email, and the header property that each is short for. */
export const CONVENIENCE: { readonly [property: string]: string } = {
  messageId: 'header:Message-ID:asMessageIds',
  inReplyTo: 'header:In-Reply-To:asMessageIds',
  references: 'header:References:asMessageIds',
  sender: 'header:Sender:asAddresses',
  from: 'header:From:asAddresses',
  to: 'header:To:asAddresses',
  cc: 'header:Cc:asAddresses',
  bcc: 'header:Bcc:asAddresses',
  replyTo: 'header:Reply-To:asAddresses',
  subject: 'header:Subject:asText',
  sentAt: 'header:Date:asDate',
}
