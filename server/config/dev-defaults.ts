/** The names of dev mode. RFC 6761 6.2: names in .test do not exist in DNS. */
export const DEV_HOSTNAME = 'mail.example.test'
export const DEV_DOMAIN = 'example.test'
export const DEV_LOCAL_PART = 'hello'
export const DEV_ADDRESS = `${DEV_LOCAL_PART}@${DEV_DOMAIN}`
/** Ports that any user may open. */
export const DEV_PORTS = { http: 8080, smtp: 2525, submission: 2587, submissions: 2465 } as const
