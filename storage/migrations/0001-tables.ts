import { ACCOUNT_TABLES } from './0001/account.ts'
import { AUDIENCE_TABLES } from './0001/audience.ts'
import { BILLING_TABLES } from './0001/billing.ts'
import { BOOKING_TABLES } from './0001/booking.ts'
import { CALENDAR_TABLES } from './0001/calendar.ts'
import { DELIVERY_TABLES } from './0001/delivery.ts'
import { IMPORT_TABLES } from './0001/import.ts'
import { MAIL_TABLES } from './0001/mail.ts'
import { NEWSLETTER_TABLES } from './0001/newsletter.ts'
import { PUSH_TABLES } from './0001/push.ts'
import { REMINDER_TABLES } from './0001/reminder.ts'
import { SEARCH_TABLES } from './0001/search.ts'
import { SENDING_TABLES } from './0001/sending.ts'
import type { Migration } from './migration.ts'

/** The tables of 0.1.0. */
export const tables0001: Migration = {
  number: 1,
  name: '0.1.0-tables',
  statements: [
    ...ACCOUNT_TABLES,
    ...MAIL_TABLES,
    ...IMPORT_TABLES,
    ...CALENDAR_TABLES,
    ...BOOKING_TABLES,
    ...REMINDER_TABLES,
    ...DELIVERY_TABLES,
    ...SENDING_TABLES,
    ...BILLING_TABLES,
    ...AUDIENCE_TABLES,
    ...NEWSLETTER_TABLES,
    ...PUSH_TABLES,
  ],
  engineStatements: SEARCH_TABLES,
}
