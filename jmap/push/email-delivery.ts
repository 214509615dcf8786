/** RFC 8621 1.5: a type of push alone, whose state changes with each new email and with nothing else. */
export const EMAIL_DELIVERY = 'EmailDelivery'
