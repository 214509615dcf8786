/** Made by scripts/build-openapi.ts from the OpenAPI document. */
export interface paths {
    readonly "/v1/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Check whether the API is available
         * @description Needs no authentication. Any status other than 200 means that the API is unavailable.
         */
        readonly get: operations["getStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List domains, newest first
         * @description A key that is limited to some domains sees only those.
         */
        readonly get: operations["listDomains"];
        readonly put?: never;
        /**
         * Add a domain
         * @description The name may be internationalised; it is stored in lower case, in A-labels.
         */
        readonly post: operations["createDomain"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains/{domain_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a domain
         * @description The flags show which DNS records were right at the last check.
         */
        readonly get: operations["getDomain"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a domain with its mailboxes
         * @description Also deletes its mailboxes, aliases and DKIM keys, and the DNS records that the server wrote. A domain that was bought here stays registered until it expires.
         */
        readonly delete: operations["deleteDomain"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a domain
         * @description At least one member. A catch-all mailbox gets mail for addresses of the domain that do not exist.
         */
        readonly patch: operations["updateDomain"];
        readonly trace?: never;
    };
    readonly "/v1/domains/{domain_id}/dns-records": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a domain's DNS records, and the records found now
         * @description With `format=zone` the records are text for a zone file.
         */
        readonly get: operations["getDnsRecords"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains/{domain_id}/verification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Check a domain's DNS records now
         * @description Once a minute for each domain. The events `domain.verified` and `domain.verification_failed` report the results of later checks.
         */
        readonly post: operations["verifyDomain"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Search domains that can be bought
         * @description A name is looked up first, then its first part under other endings; at most 20 results. Names about which the registrar gives no answer in time are left out.
         */
        readonly post: operations["searchDomains"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains/register": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Buy a domain
         * @description Charges the payment method and registers the domain; its status is `registering` until it is registered and its DNS records are written, then `pending` until they are found, then `verified`. If the registration fails, the payment is given back and the status is `registration_failed`. The same name within 24 hours is the same order.
         */
        readonly post: operations["registerDomain"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/domains/{domain_id}/dns-records/apply": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Write a domain's DNS records at its provider
         * @description For a domain with `dns_credentials`, or one that was bought here. With `dry_run` it only shows what would be written. Records of others are neither changed nor deleted, except that an SPF record gets our mechanism.
         */
        readonly post: operations["applyDnsRecords"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List mailboxes, newest first
         * @description A key that is limited to some mailboxes sees only those.
         */
        readonly get: operations["listMailboxes"];
        readonly put?: never;
        /**
         * Create a mailbox
         * @description The domain must be verified. The system folders exist at once. setMailboxPassword sets a password.
         */
        readonly post: operations["createMailbox"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a mailbox
         * @description By its id. Its messages are under `inbox/messages`.
         */
        readonly get: operations["getMailbox"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a mailbox
         * @description It stops receiving mail at once, and its address is free. Its aliases are deleted too; its messages are erased after the retention time.
         */
        readonly delete: operations["deleteMailbox"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a mailbox's display name, time zone or language
         * @description At least one member. The name is used in the From field of messages that set none. All-day events and events without a time zone happen in the time zone. Reminders are written in the time zone and in the language, in English where the server does not know it. null clears any.
         */
        readonly patch: operations["updateMailbox"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Set a mailbox's password
         * @description For mail programs: SMTP submission and JMAP with the address as user name. It is never returned. Who sets it can log in with it and read all mail of the mailbox, so the mailbox gets a letter about it, and connections that used the old password end. An organization can forbid it to its API keys.
         */
        readonly patch: operations["setMailboxPassword"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/auto-reply": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Set a mailbox's automatic reply
         * @description Each sender gets it once in 7 days; lists, bulk mail and programs never get it. Omitted members do not change. Without from_date it starts now, without to_date it runs until it is switched off.
         */
        readonly patch: operations["setAutoReply"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/spam-filter": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Set the spam score from which messages go to Junk
         * @description Messages whose score is at or above the threshold go to Junk.
         */
        readonly patch: operations["setSpamFilter"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/folders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a mailbox's folders with their counts
         * @description System folders come first, then by sort_order and name.
         */
        readonly get: operations["listFolders"];
        readonly put?: never;
        /**
         * Create a folder
         * @description In another folder or at the top. Names are unique within a parent, ignoring case; names of system folders are reserved.
         */
        readonly post: operations["createFolder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/folders/{folder_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a folder with its counts
         * @description Its ETag, for If-Match, changes with its counts too.
         */
        readonly get: operations["getFolder"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a folder with the folders in it
         * @description Their messages move to trash. If an inbox rule names the folder, change the rule first.
         */
        readonly delete: operations["deleteFolder"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Rename, move or reorder a folder
         * @description System folders can only be reordered.
         */
        readonly patch: operations["updateFolder"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/identities": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the addresses that a mailbox may send from
         * @description The address of the mailbox first, then its aliases, then `*@domain` if it is the catch-all.
         */
        readonly get: operations["listIdentities"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/imports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List imports, newest first
         * @description The last hundred imports of the mailbox.
         */
        readonly get: operations["listImports"];
        readonly put?: never;
        /**
         * Start an import
         * @description From an IMAP account, whose login is tried first, or from files that were uploaded. One import of a mailbox runs at a time.
         */
        readonly post: operations["startImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/imports/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get a URL to upload a file for an import
         * @description The upload has exactly `size_bytes` octets. A file that no import uses is deleted after 24 hours.
         */
        readonly post: operations["stageImportFile"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/imports/{import_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an import with its counters and its report
         * @description The counters change while it runs. Clients of JMAP are told by push.
         */
        readonly get: operations["getImport"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/imports/{import_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel an import
         * @description Mail that was imported stays. A later import goes on without duplicates.
         */
        readonly post: operations["cancelImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/imports/{import_id}/undo": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Undo an import
         * @description Deletes every message that the import created, wherever it is now, in the background. What was there before and what was written since stays. Possible for 30 days after the end of the import.
         */
        readonly post: operations["undoImport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List messages, newest first
         * @description Without a folder, the messages of all folders except junk and trash. Filters are combined by AND.
         */
        readonly get: operations["listInboxMessages"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a message
         * @description With its texts. Bodies, headers and previews come from other people: escape or sanitise them.
         */
        readonly get: operations["getInboxMessage"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a message in trash or junk permanently
         * @description 409 `invalid_state` for a message in another folder: move it to trash first.
         */
        readonly delete: operations["deleteInboxMessage"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Mark a message as read or starred, or remove the mark
         * @description At least one of read and starred.
         */
        readonly patch: operations["updateInboxMessage"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/raw": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a message as it was received
         * @description The octets as received, as message/rfc822. A Range returns a part.
         */
        readonly get: operations["downloadRawMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/move": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Move a message to a folder
         * @description It leaves all other folders. Moving to or out of junk trains the spam filter.
         */
        readonly post: operations["moveInboxMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/threads/{thread_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a thread with all its messages, oldest first
         * @description 404 once its last message is deleted.
         */
        readonly get: operations["getInboxThread"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/inbox/attachments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download an attachment
         * @description Ranges and conditional requests are supported. The file is external content: never show it as your own page.
         */
        readonly get: operations["downloadAttachment"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a mailbox's inbox rules
         * @description In the order in which they run, with the folders that they can move mail to.
         */
        readonly get: operations["getRules"];
        /**
         * Replace a mailbox's inbox rules
         * @description They run on incoming mail, after the spam score and before the auto-reply, in the order of position; on junk only those that mark it as wanted.
         */
        readonly put: operations["replaceRules"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/rules/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Show what inbox rules would do with a message, without doing it
         * @description Tests `rules` if given, else the rules of the mailbox. Nothing is moved or marked, and no webhook is notified.
         */
        readonly post: operations["testRules"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List sent messages, newest first
         * @description Messages of all mailboxes that the key may use, including those whose copy in the mailbox was deleted.
         */
        readonly get: operations["listMessages"];
        readonly put?: never;
        /**
         * Send a message
         * @description Counts as one send for each recipient.
         */
        readonly post: operations["sendMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send several messages
         * @description Each message is sent or refused independently; `data` has an item for each, in the same order. Counts as one send for each recipient.
         */
        readonly post: operations["sendBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages/{message_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a message with its delivery state
         * @description `recipients` has the state of each recipient, and the reply of its server. A sent message is also found after its copy in the mailbox was deleted.
         */
        readonly get: operations["getMessage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages/{message_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a scheduled message
         * @description 409 `invalid_state` once sending has started.
         */
        readonly post: operations["cancelMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/threads": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a mailbox's threads, by their latest message
         * @description The thread with the newest message first.
         */
        readonly get: operations["listThreads"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/threads/{thread_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a thread's messages, newest first
         * @description With their texts and the delivery state of sent messages.
         */
        readonly get: operations["getThread"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/threads/{thread_id}/reply": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reply to a thread
         * @description Sends from the thread's mailbox, by default to the sender of the latest message received, and from the address of the mailbox that this message was sent to.
         */
        readonly post: operations["replyToThread"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/aliases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List aliases, newest first
         * @description A key that is limited to some mailboxes or domains sees none.
         */
        readonly get: operations["listAliases"];
        readonly put?: never;
        /**
         * Add another address to a mailbox
         * @description It receives mail for the mailbox and may be used as `from`. `+tag` addresses need no alias.
         */
        readonly post: operations["createAlias"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/aliases/{alias_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an alias
         * @description An alias belongs to one mailbox, and may be used as `from`.
         */
        readonly get: operations["getAlias"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an alias
         * @description Mail to it is refused at once, and the address is free.
         */
        readonly delete: operations["deleteAlias"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Move an alias to another mailbox, or switch it on or off
         * @description At least one member. While it is off, it receives no mail and cannot be used as `from`.
         */
        readonly patch: operations["updateAlias"];
        readonly trace?: never;
    };
    readonly "/v1/calendar/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the events of a time, by start
         * @description Events that overlap the time from `from` to `to`. A recurring event is one item if any of its instances does; with `expand` each instance is an item.
         */
        readonly get: operations["listCalendarEvents"];
        readonly put?: never;
        /**
         * Create an event
         * @description Attendees get an invitation by mail. Times are local times in `timezone`; answers have instants in UTC.
         */
        readonly post: operations["createCalendarEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/calendar/events/{event_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an event, or an instance of one
         * @description The id of an instance is in lists with `expand`.
         */
        readonly get: operations["getCalendarEvent"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an event, or one instance of it
         * @description Attendees get a cancellation by mail.
         */
        readonly delete: operations["deleteCalendarEvent"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change an event, or one instance of it
         * @description At least one member beside `mailbox`. null clears `description`, `timezone`, `location`, `video_url`, `recurrence`, `reminders` and `color`. `attendees` is the full list: new ones are invited, those left out get a cancellation.
         */
        readonly patch: operations["updateCalendarEvent"];
        readonly trace?: never;
    };
    readonly "/v1/calendar/events/{event_id}/respond": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Answer an invitation, or that to one instance
         * @description The organizer gets the answer by mail. Only for events that somebody else organizes and to which the mailbox is invited.
         */
        readonly post: operations["respondToCalendarEvent"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/calendar/ics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export a calendar as an iCalendar file
         * @description All events, with their time zones. Programs that subscribe should use a feed.
         */
        readonly get: operations["exportCalendar"];
        readonly put?: never;
        /**
         * Import an iCalendar file
         * @description Events whose uid the mailbox has are updated if the file has newer ones, else skipped: importing a file again changes nothing. They stay in their calendars. Nobody is invited. After a failure the same request goes on.
         */
        readonly post: operations["importCalendar"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/calendar/feeds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the feeds of a mailbox
         * @description Without their URLs, oldest first. A mailbox has at most 100.
         */
        readonly get: operations["listCalendarFeeds"];
        readonly put?: never;
        /**
         * Make a secret URL of a calendar to subscribe to
         * @description Calendar programs read the URL as iCalendar, with `https:` or `webcal:`. It shows public events; private ones only as busy times; secret events, drafts and alerts not at all. It works until the feed is deleted.
         */
        readonly post: operations["createCalendarFeed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/calendar/feeds/{feed_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a feed
         * @description Without its URL, which only the answer to its creation has.
         */
        readonly get: operations["getCalendarFeed"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a feed
         * @description Its URL answers 404 from then on.
         */
        readonly delete: operations["deleteCalendarFeed"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/calendar/availability": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the free slots of a calendar
         * @description Computed from the calendar at each call. Candidates start at `window_start` and every `interval` minutes after it on each local day in `timezone`. A slot lies wholly within the window and within `from` and `to`, and meets no busy time, with `buffer` minutes free on both sides. Busy are events that are neither free nor cancelled nor declined by the owner. Local times that the clock skips are left out; of two passings the first is offered.
         */
        readonly get: operations["getAvailability"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/booking-pages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List booking pages, newest first
         * @description A key that is limited to some mailboxes sees the pages of those.
         */
        readonly get: operations["listBookingPages"];
        readonly put?: never;
        /**
         * Create a booking page
         * @description The page is public at once. Slots are computed from the calendar whenever somebody looks.
         */
        readonly post: operations["createBookingPage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/booking-pages/{booking_page_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a booking page
         * @description By its id. Its public page is at `url`.
         */
        readonly get: operations["getBookingPage"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a booking page
         * @description Bookings that were made stay, and links to manage them go on working.
         */
        readonly delete: operations["deleteBookingPage"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a booking page
         * @description At least one member. Bookings that were made stay as they are. `active: false` hides the page; links to manage bookings go on working.
         */
        readonly patch: operations["updateBookingPage"];
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/conferencing": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the providers of meetings, and which of them are connected
         * @description A booking page or an event can have a provider that is connected to its mailbox.
         */
        readonly get: operations["listConferencing"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/conferencing/jitsi": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Connect Jitsi by the URL of its rooms
         * @description Each meeting gets a room with a random name. Meetings that were made keep their links.
         */
        readonly put: operations["connectJitsi"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/conferencing/zoom": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Connect Zoom by a server-to-server OAuth app
         * @description The credentials are tried before they are stored: what Zoom refuses is a 422. The app needs the rights to read and write meetings. Meetings are those of the account's owner.
         */
        readonly put: operations["connectZoom"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/mailboxes/{mailbox_id}/conferencing/{provider}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Disconnect a provider of meetings
         * @description Booking pages that have it get no more links. Meetings that were made stay.
         */
        readonly delete: operations["disconnectConferencing"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List audiences, newest first
         * @description The scope `audiences:write` allows reading too.
         */
        readonly get: operations["listAudiences"];
        readonly put?: never;
        /**
         * Create an audience
         * @description An organization has at most 1,000 audiences.
         */
        readonly post: operations["createAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an audience
         * @description With the counts of its subscribers.
         */
        readonly get: operations["getAudience"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an audience with its subscribers
         * @description 409 while a newsletter is being sent to it; one that is scheduled becomes a draft. Opt-outs and suppressions stay: addresses that are added to another audience later are skipped because of them.
         */
        readonly delete: operations["deleteAudience"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change name or description of an audience, or switch its sign-up page
         * @description `consent_source` stays as it was attested.
         */
        readonly patch: operations["updateAudience"];
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/subscribers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List an audience's subscribers, newest first
         * @description Of all statuses, unless one is asked for.
         */
        readonly get: operations["listSubscribers"];
        readonly put?: never;
        /**
         * Add a subscriber
         * @description Invalid addresses and those of functions (`info@`) are `skipped_invalid`; suppressed, unsubscribed, bounced and complaining ones are `skipped_not_mailable`. An address that is in the audience is `updated`: a sent display_name replaces the stored one, sent merge_fields are merged into the stored ones. If the rest of the monthly quota does not admit all new addresses of the call, all of them are `skipped_quota`. Beyond 10,000 subscribed members new ones are `skipped_cap`.
         */
        readonly post: operations["addSubscriber"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/subscribers/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add up to 1,000 subscribers
         * @description Invalid addresses and those of functions (`info@`) are `skipped_invalid`; suppressed, unsubscribed, bounced and complaining ones are `skipped_not_mailable`. An address that is in the audience is `updated`: a sent display_name replaces the stored one, sent merge_fields are merged into the stored ones. If the rest of the monthly quota does not admit all new addresses of the call, all of them are `skipped_quota`. Beyond 10,000 subscribed members new ones are `skipped_cap`. A row with values of a wrong form is `skipped_invalid`. There is one result for each row, in their order.
         */
        readonly post: operations["addSubscribers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/subscribers/by-email/{email}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a subscriber by address
         * @description Upper and lower case are the same, and so are both forms of an internationalised domain.
         */
        readonly get: operations["getSubscriberByEmail"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/subscribers/{subscriber_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a subscriber
         * @description By its id. 404 if it is in another audience.
         */
        readonly get: operations["getSubscriber"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a subscriber
         * @description Opt-out and suppression of the address stay.
         */
        readonly delete: operations["deleteSubscriber"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change name or merge fields of a subscriber
         * @description `merge_fields` replaces all stored ones; `display_name: null` clears the name.
         */
        readonly patch: operations["updateSubscriber"];
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/subscribers/{subscriber_id}/unsubscribe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Unsubscribe a subscriber from all newsletters of the organization
         * @description The address opts out of the organization: it is `unsubscribed` in all audiences, and adding it again is skipped. Repeating it changes nothing.
         */
        readonly post: operations["unsubscribeSubscriber"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export an audience's subscribers as CSV, newest first
         * @description RFC 4180, with the columns email_address, display_name, status, merge_fields (a JSON object), consent_source, created_at, updated_at. Text that a spreadsheet would run as a formula has a `'` in front. The file can be imported.
         */
        readonly get: operations["exportAudience"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/audiences/{audience_id}/import": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add the subscribers of a CSV file
         * @description RFC 4180, in UTF-8, with at most 10000 rows and 200 columns. The first line names the columns: email_address, display_name, merge_fields (a JSON object); every other column is a merge field. The rules are those of addSubscribers, by batches of 1,000 rows. A file that is no CSV adds nothing. Importing a file again changes nothing but what is new in it.
         */
        readonly post: operations["importAudience"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List newsletters, newest first
         * @description With their content: use a small `limit` for large ones.
         */
        readonly get: operations["listNewsletters"];
        readonly put?: never;
        /**
         * Create a draft
         * @description One of `blocks`, `body_html` and `body_text` is needed, in this order of precedence. What else is missing is told by the preflight.
         */
        readonly post: operations["createNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a newsletter
         * @description With its blocks and what was derived from them.
         */
        readonly get: operations["getNewsletter"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a newsletter
         * @description Drafts and cancelled newsletters only.
         */
        readonly delete: operations["deleteNewsletter"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a draft, or who finds a newsletter in the archive
         * @description At least one member. `body_html` replaces the blocks by one; `body_text` without blocks or `body_html` replaces the text part alone. Of a newsletter that is no draft only `archive_visibility` can be changed: its page follows within two minutes.
         */
        readonly patch: operations["updateNewsletter"];
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/duplicate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Make a new draft of the same content
         * @description Whatever the state of the original. The name begins with `Copy of`.
         */
        readonly post: operations["duplicateNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/preflight": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Check whether a newsletter can be sent
         * @description One item for each key, in a fixed order. Nothing is changed.
         */
        readonly post: operations["preflightNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/preview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Show a newsletter as it would be sent
         * @description With the footer. Merge fields show their fallbacks.
         */
        readonly post: operations["previewNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletter-domains": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the domains that newsletters can be sent from
         * @description All domains of the organization, oldest first.
         */
        readonly get: operations["listNewsletterDomains"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletter-assets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the images and videos of newsletters, newest first
         * @description With the octets that all of them use.
         */
        readonly get: operations["listNewsletterAssets"];
        readonly put?: never;
        /**
         * Upload an image or a video
         * @description The body is the file: JPEG, PNG, WebP or GIF of at most 10485760 octets, 40 megapixels and 20000 pixels a side, MP4, MOV or WebM of at most 209715200 octets. Images are encoded again, without their metadata; videos are served as they are, with what cameras write into them. The same octets are one asset, so a repeated upload is harmless. A JSON body names a file that is an asset already, by its URL; a video by that of its thumbnail too.
         */
        readonly post: operations["uploadNewsletterAsset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletter-assets/{asset_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an image or a video
         * @description Its facts and its public URLs, not its octets.
         */
        readonly get: operations["getNewsletterAsset"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete an image or a video
         * @description Its URLs end, and its octets count no more. Not while a newsletter that uses it is scheduled or being sent.
         */
        readonly delete: operations["deleteNewsletterAsset"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/schedule": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a newsletter at a time
         * @description A draft, or one that is scheduled already, whose time changes. Its recipients are the subscribers of the audience at that time. Every item of the preflight that fails is a 422 detail with its `key`.
         */
        readonly post: operations["scheduleNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a newsletter
         * @description One that is scheduled becomes a draft again. One that is `sending` or `paused` becomes `cancelled`: what was sent stays, the rest is not sent.
         */
        readonly post: operations["cancelNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Go on sending a newsletter
         * @description One that is `paused`, `cancelled` or `failed`, to the recipients that are left and can still be mailed. Every item of the preflight that fails is a 422 detail.
         */
        readonly post: operations["resumeNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/test-send": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a newsletter to yourself
         * @description The recipient must be a mailbox of the organization that has a password. The subject begins with `[Test] `. It uses no quota; at most 20 a day for each newsletter.
         */
        readonly post: operations["testSendNewsletter"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/newsletters/{newsletter_id}/recipients": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the recipients of a newsletter
         * @description In the order of sending, each with what became of its message.
         */
        readonly get: operations["listNewsletterRecipients"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description A key that is limited to some mailboxes or domains sees none.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        /**
         * Subscribe a URL to events
         * @description An organization has at most 10 webhooks. A key that is limited to some mailboxes or domains cannot create any.
         */
        readonly post: operations["createWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a webhook
         * @description Its secret is not returned again: rotateWebhookSecret creates a new one.
         */
        readonly get: operations["getWebhook"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook
         * @description Its pending deliveries fail with `webhook_deleted`.
         */
        readonly delete: operations["deleteWebhook"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a webhook, or switch it on and off
         * @description Switching it off fails its pending deliveries. Switching it on resets the count of failures.
         */
        readonly patch: operations["updateWebhook"];
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotate the secret
         * @description The present secret stays valid for 24 hours: deliveries have a signature by each, and a receiver may accept either. Another rotation within that time ends the oldest.
         */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a test event
         * @description Queues `webhook.test`, which is signed and retried like any event, whatever the webhook is subscribed to, and also when it is switched off.
         */
        readonly post: operations["testWebhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a webhook's deliveries, newest first
         * @description Deliveries are kept for 30 days.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a delivery with its request and response
         * @description The posted body, and the beginning of the response to the last attempt.
         */
        readonly get: operations["getWebhookDelivery"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Repeat a delivery
         * @description Creates a new delivery of the same event, with the same `event_id`.
         */
        readonly post: operations["replayWebhookDelivery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List events, newest first
         * @description All events of the last 30 days, whether or not a webhook subscribes to them. A key that is limited to some mailboxes or domains gets none.
         */
        readonly get: operations["listEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/suppressions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List suppressed addresses, newest first
         * @description Addresses are added by a hard bounce, a complaint, or createSuppression.
         */
        readonly get: operations["listSuppressions"];
        readonly put?: never;
        /**
         * Suppress an address
         * @description Messages to it are refused with 422 until the suppression is removed.
         */
        readonly post: operations["createSuppression"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/suppressions/{email}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the suppression of an address
         * @description 404 if the address is not suppressed.
         */
        readonly get: operations["getSuppression"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove the suppression of an address
         * @description Messages may be sent to it again. Another hard bounce suppresses it again.
         */
        readonly delete: operations["deleteSuppression"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description The keys themselves are not returned; `prefix` is their beginning.
         */
        readonly get: operations["listApiKeys"];
        readonly put?: never;
        /**
         * Create an API key
         * @description A key cannot grant more than it has itself.
         */
        readonly post: operations["createApiKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/api-keys/{key_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an API key, without the key itself
         * @description Its limits, and the time of its last use.
         */
        readonly get: operations["getApiKey"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke an API key
         * @description The key stops working within a second; open connections end within 30 seconds. A key cannot revoke a key that has more rights.
         */
        readonly delete: operations["deleteApiKey"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Rename an API key, or change its limits
         * @description At least one member. A key cannot change a key that has more rights, and cannot grant more than it has itself.
         */
        readonly patch: operations["updateApiKey"];
        readonly trace?: never;
    };
    readonly "/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the use of an organization and the limits of its plan
         * @description Sends are counted per billing period, or per calendar month without a subscription; null: no limit.
         */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the subscription of the organization
         * @description Without a billing provider the status is `active`. `past_due`: a payment failed, and everything goes on until `grace_ends_at`. `suspended`: the mailboxes send nothing, and mail to them is deferred.
         */
        readonly get: operations["getBilling"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing/checkout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get a page on which the organization subscribes or changes its plan
         * @description The first subscription begins with a trial of 14 days. `trial: false` pays the first month at once, and has the full limits at once. With a subscription the page confirms the other plan.
         */
        readonly post: operations["startCheckout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/billing/portal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Get pages on which the organization changes its card, pays and cancels
         * @description An organization that has never subscribed uses the checkout.
         */
        readonly post: operations["openBillingPortal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/organization": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the organization of the key
         * @description Its name and its look on public pages. A key belongs to one organization.
         */
        readonly get: operations["getOrganization"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change what the organization shows of itself
         * @description At least one member. `logo_url` is fetched once, now; the image is encoded again and served from here. JPEG, PNG, GIF and WebP are taken.
         */
        readonly patch: operations["updateOrganization"];
        readonly trace?: never;
    };
    readonly "/v1/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get this description as OpenAPI 3.1
         * @description Needs no authentication.
         */
        readonly get: operations["getOpenApiDocument"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Alias: {
            /** @constant */
            readonly object: "alias";
            readonly id: string;
            readonly domain_id: string;
            readonly address: string;
            readonly mailbox_id: string;
            readonly enabled: boolean;
            readonly description: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly ApiKey: {
            /** @constant */
            readonly object: "api_key";
            readonly id: string;
            readonly name: string;
            /** @description The beginning of the key. */
            readonly prefix: string;
            readonly scopes: readonly string[];
            /** @description The mailboxes that it may use; null: all. */
            readonly mailbox_ids: readonly string[] | null;
            /** @description The domains that it may use; null: all. */
            readonly domain_ids: readonly string[] | null;
            /** @description IP addresses and ranges that may use it; null: all. */
            readonly allowed_ips: readonly string[] | null;
            /** Format: date-time */
            readonly expires_at: string | null;
            /**
             * Format: date-time
             * @description Updated at intervals.
             */
            readonly last_used_at: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly Audience: {
            /** @constant */
            readonly object: "audience";
            readonly id: string;
            readonly name: string;
            readonly description: string | null;
            /** @description All subscribers, whatever their status. */
            readonly member_count: number;
            /** @description Subscribers that get newsletters. */
            readonly subscribed_count: number;
            readonly consent_source: string;
            /** @description Whether anybody may sign up at `signup_url`. A mail must be confirmed. */
            readonly signup_page: boolean;
            readonly signup_url: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly AudienceImport: {
            /** @constant */
            readonly object: "audience_import";
            readonly audience_id: string;
            readonly rows: number;
            readonly outcomes: {
                readonly created: number;
                readonly updated: number;
                readonly skipped_not_mailable: number;
                readonly skipped_invalid: number;
                readonly skipped_cap: number;
                readonly skipped_quota: number;
            };
            readonly results: readonly {
                /** @description Number of the record in the file; the first line is 1. */
                readonly record: number;
                readonly email_address: string;
                /** @enum {string} */
                readonly outcome: "created" | "updated" | "skipped_not_mailable" | "skipped_invalid" | "skipped_cap" | "skipped_quota";
            }[];
        };
        readonly Authentication: {
            readonly spf: {
                /** @description With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ... */
                readonly result: string;
                readonly domain: string;
            };
            readonly dkim: readonly {
                /** @description With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ... */
                readonly result: string;
                readonly domain: string;
                readonly selector: string;
                readonly aligned: boolean;
            }[];
            readonly dmarc: {
                /** @description With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ... */
                readonly result: string;
                readonly domain: string | null;
                readonly policy: string | null;
                readonly disposition: string;
            };
            readonly arc: {
                /** @description With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ... */
                readonly result: string;
                readonly domain: string | null;
            };
            readonly iprev: {
                /** @description With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ... */
                readonly result: string;
                readonly name: string | null;
            };
        };
        readonly Billing: {
            /** @constant */
            readonly object: "billing";
            /** @enum {string} */
            readonly provider: "none" | "fake" | "stripe";
            /** @enum {string} */
            readonly plan: "free" | "solo" | "pro" | "team";
            /** @enum {string} */
            readonly status: "none" | "trialing" | "active" | "past_due" | "suspended";
            /**
             * Format: date-time
             * @description null: no trial.
             */
            readonly trial_ends_at: string | null;
            /** Format: date-time */
            readonly period_start: string;
            /** Format: date-time */
            readonly period_end: string;
            /** @description Whether purchases such as domains can be charged. */
            readonly payment_method: boolean;
            /**
             * Format: date-time
             * @description When the subscription ends; null: it renews.
             */
            readonly cancel_at: string | null;
            /**
             * Format: date-time
             * @description When the mailboxes are suspended unless something is paid; null: nothing is owed.
             */
            readonly grace_ends_at: string | null;
        };
        readonly BillingLink: {
            /** @constant */
            readonly object: "billing_link";
            /** @description A page of the billing provider, for a browser. */
            readonly url: string;
        };
        readonly BookingCancelledEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "booking.cancelled";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly booking_id: string;
                readonly booking_page_id: string;
                /** @description Address of the mailbox that is booked. */
                readonly mailbox: string;
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
                /** @description Of the invitee. */
                readonly name: string;
                readonly email: string;
                /**
                 * Format: date-time
                 * @description Of a booking that was moved.
                 */
                readonly previous_start: string | null;
            };
        };
        readonly BookingCreatedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "booking.created";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly booking_id: string;
                readonly booking_page_id: string;
                /** @description Address of the mailbox that is booked. */
                readonly mailbox: string;
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
                /** @description Of the invitee. */
                readonly name: string;
                readonly email: string;
                /**
                 * Format: date-time
                 * @description Of a booking that was moved.
                 */
                readonly previous_start: string | null;
            };
        };
        readonly BookingPage: {
            /** @constant */
            readonly object: "booking_page";
            readonly id: string;
            /** @description Address of the mailbox whose calendar is booked. */
            readonly mailbox: string;
            readonly slug: string;
            /** @description Public address of the page. */
            readonly url: string;
            readonly name: string;
            readonly description: string | null;
            /** @description Length of a meeting, and the time between the starts of two slots. */
            readonly duration_minutes: number;
            /** @description 0 is Sunday. */
            readonly availability_days: readonly number[];
            /** @description From midnight. */
            readonly window_start_minutes: number;
            /** @description From midnight. */
            readonly window_end_minutes: number;
            /** @description IANA zone of the days and of the window. */
            readonly timezone: string;
            /** @description Free time before and after a meeting. */
            readonly buffer_minutes: number;
            /** @description From now to the earliest slot. */
            readonly minimum_notice_minutes: number;
            /** @description How far ahead slots are offered. */
            readonly max_advance_days: number;
            readonly conferencing_provider: string | null;
            /** @description false: the public page is not found. */
            readonly active: boolean;
            /** @description Sites whose pages may show it in a frame, at its URL with `?embed=1`. */
            readonly embed_origins: readonly string[];
            /** @description A booking counts when the invitee has opened a link in a mail. */
            readonly confirm_by_email: boolean;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly BookingRescheduledEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "booking.rescheduled";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly booking_id: string;
                readonly booking_page_id: string;
                /** @description Address of the mailbox that is booked. */
                readonly mailbox: string;
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
                /** @description Of the invitee. */
                readonly name: string;
                readonly email: string;
                /**
                 * Format: date-time
                 * @description Of a booking that was moved.
                 */
                readonly previous_start: string | null;
            };
        };
        readonly CalendarAvailability: {
            /** @constant */
            readonly object: "calendar_availability";
            readonly mailbox: string;
            /** Format: date-time */
            readonly from: string;
            /** Format: date-time */
            readonly to: string;
            readonly duration_minutes: number;
            readonly timezone: string;
            /** @description In ascending order. */
            readonly slots: readonly {
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
            }[];
        };
        readonly CalendarEvent: {
            /** @constant */
            readonly object: "calendar_event";
            /** @description Of an instance: the id of its event, `_`, and its original local time. */
            readonly id: string;
            /** @description Address of the calendar's owner. */
            readonly mailbox: string;
            readonly calendar_id: string | null;
            readonly uid: string;
            readonly title: string | null;
            readonly description: string | null;
            readonly location: string | null;
            readonly video_url: string | null;
            /**
             * @description It makes the meeting whose link is `video_url`.
             * @enum {string|null}
             */
            readonly conferencing_provider: "zoom" | "jitsi" | null;
            /**
             * @description `pending`: the link is on its way. `failed`: `conferencing_note` says why.
             * @enum {string|null}
             */
            readonly conferencing_status: "pending" | "ready" | "failed" | null;
            readonly conferencing_note: string | null;
            readonly color: string | null;
            readonly all_day: boolean;
            /** @description An instant in UTC; of an all-day event the date. */
            readonly start: string;
            /** @description An instant in UTC; of an all-day event the date after the last day. */
            readonly end: string;
            /** @description null: all-day or floating. */
            readonly timezone: string | null;
            readonly duration: string | null;
            /** @enum {string|null} */
            readonly status: "confirmed" | "tentative" | "cancelled" | null;
            /** @enum {string|null} */
            readonly free_busy_status: "free" | "busy" | null;
            /** @enum {string|null} */
            readonly privacy: "public" | "private" | "secret" | null;
            readonly recurrence: {
                /**
                 * @description How often.
                 * @enum {string}
                 */
                readonly frequency: "daily" | "weekly" | "monthly" | "yearly";
                /** @description Every so many periods. Default: 1. */
                readonly interval: number;
                /** @description Instances in all; not together with `until`. */
                readonly count: number | null;
                /** @description The last start: an instant, or a date, which counts as a whole. */
                readonly until: string | null;
                /** @description Weekdays; with a number that one of the month or year, from the end if negative. */
                readonly by_day: readonly string[] | null;
            } | null;
            /** @description Original local time of an instance; an all-day one's date. */
            readonly recurrence_id: string | null;
            /** @description Mails to the mailbox's own address. */
            readonly reminders: readonly {
                /** @description Of the start. */
                readonly minutes_before: number;
            }[];
            readonly organizer: {
                readonly email: string;
                readonly name: string | null;
            } | null;
            readonly attendees: readonly {
                readonly email: string;
                readonly name: string | null;
                /** @enum {string} */
                readonly status: "needs-action" | "accepted" | "declined" | "tentative" | "delegated";
                /**
                 * @description failed: the last message about the event could not be sent to the attendee, or came back. null: nothing has failed.
                 * @enum {string|null}
                 */
                readonly invitation_status: "failed" | null;
            }[];
            /** Format: date-time */
            readonly created_at: string | null;
            /** Format: date-time */
            readonly updated_at: string | null;
        };
        readonly CalendarEventCreatedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "calendar.event_created";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @description Of the whole event. */
                readonly calendar_event_id: string;
                /** @description Address of the calendar's owner. */
                readonly mailbox: string;
                readonly uid: string;
                readonly title: string | null;
                /** @description An instant in UTC; of an all-day event the date. */
                readonly start: string;
                readonly end: string;
                /** @description Original local time of the instance that it is about. */
                readonly recurrence_id: string | null;
            };
        };
        readonly CalendarEventDeletedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "calendar.event_deleted";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @description Of the whole event. */
                readonly calendar_event_id: string;
                /** @description Address of the calendar's owner. */
                readonly mailbox: string;
                readonly uid: string;
                readonly title: string | null;
                /** @description An instant in UTC; of an all-day event the date. */
                readonly start: string;
                readonly end: string;
                /** @description Original local time of the instance that it is about. */
                readonly recurrence_id: string | null;
            };
        };
        readonly CalendarEventUpdatedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "calendar.event_updated";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @description Of the whole event. */
                readonly calendar_event_id: string;
                /** @description Address of the calendar's owner. */
                readonly mailbox: string;
                readonly uid: string;
                readonly title: string | null;
                /** @description An instant in UTC; of an all-day event the date. */
                readonly start: string;
                readonly end: string;
                /** @description Original local time of the instance that it is about. */
                readonly recurrence_id: string | null;
            };
        };
        readonly CalendarFeed: {
            /** @constant */
            readonly object: "calendar_feed";
            readonly id: string;
            readonly mailbox: string;
            /** @description null: the events of all calendars. */
            readonly calendar_id: string | null;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly CalendarFeeds: {
            /** @constant */
            readonly object: "calendar_feeds";
            readonly mailbox: string;
            readonly data: readonly components["schemas"]["CalendarFeed"][];
        };
        readonly CalendarImport: {
            /** @constant */
            readonly object: "calendar_import";
            /** @description Address of the calendar's owner. */
            readonly mailbox: string;
            /** @description The calendar that new events are in. */
            readonly calendar_id: string;
            readonly created: number;
            /** @description The file had newer ones. */
            readonly updated: number;
            /** @description The mailbox has them as new as the file, or newer. */
            readonly skipped: number;
            /** @description The first 100 of those that could not be imported. */
            readonly failed: readonly {
                readonly uid: string | null;
                readonly message: string;
            }[];
            /** @description All of those. */
            readonly failed_count: number;
        };
        readonly CalendarInvitationRepliedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "calendar.invitation_replied";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @description Of the whole event. */
                readonly calendar_event_id: string;
                /** @description Address of the calendar's owner. */
                readonly mailbox: string;
                readonly uid: string;
                readonly title: string | null;
                /** @description An instant in UTC; of an all-day event the date. */
                readonly start: string;
                readonly end: string;
                /** @description Original local time of the instance that it is about. */
                readonly recurrence_id: string | null;
                readonly attendee: string;
                /** @enum {string} */
                readonly status: "accepted" | "declined" | "tentative" | "delegated";
            };
        };
        readonly Conferencing: {
            /** @constant */
            readonly object: "conferencing";
            /** @enum {string} */
            readonly provider: "zoom" | "jitsi";
            readonly connected: boolean;
            /** @description Of `jitsi`. */
            readonly url_template: string | null;
            /** @description Of `zoom`: id of the account. */
            readonly account: string | null;
        };
        readonly DeliveryNote: {
            /** @description `check`, `spam`, `script`, `rule`, `reply` or `delivery`. */
            readonly by: string;
            /** @description Name of the script or the rule. */
            readonly name: string | null;
            readonly text: string;
        };
        readonly DnsChanges: {
            /** @constant */
            readonly object: "dns_changes";
            /** @description false: nothing was written. */
            readonly applied: boolean;
            readonly create: readonly components["schemas"]["ZoneRecord"][];
            /** @description Records of ours, and an SPF record of others that gets our mechanism. */
            readonly update: readonly {
                readonly before: components["schemas"]["ZoneRecord"];
                readonly after: components["schemas"]["ZoneRecord"];
            }[];
            /** @description Only records that the server wrote. */
            readonly delete: readonly components["schemas"]["ZoneRecord"][];
            /** @description Records that are not written, because other records stand there. Remove these yourself, and apply again. */
            readonly conflicts: readonly {
                readonly key: string;
                readonly wanted: components["schemas"]["ZoneRecord"];
                readonly found: readonly components["schemas"]["ZoneRecord"][];
            }[];
        };
        readonly DnsCredentials: {
            /** @enum {string} */
            readonly provider: "cloudflare" | "powerdns" | "rfc2136";
            /** @description Apex of the zone; by default the registered domain. */
            readonly zone?: string;
            /** @description Of `cloudflare`: an API token that may edit the DNS of the zone. */
            readonly token?: string;
            /** @description Of `powerdns`: URL of its web server, https. */
            readonly url?: string;
            /** @description Of `powerdns`. */
            readonly api_key?: string;
            /** @description Of `powerdns`; by default `localhost`. */
            readonly server_id?: string;
            /** @description Of `rfc2136`: `host:port` of the primary server. */
            readonly server?: string;
            /** @description Of `rfc2136`: name of the TSIG key. */
            readonly key_name?: string;
            /**
             * @description Of `rfc2136`; by default `hmac-sha256`.
             * @enum {string}
             */
            readonly algorithm?: "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
            /** @description Of `rfc2136`: the key, in base64. */
            readonly secret?: string;
        };
        readonly DnsRecord: {
            /** @description `mx`, `spf`, `mail_from_mx`, `mail_from_spf`, `dkim`, `dmarc`; others are recommended ones, such as `dkim_next`: a new key, which signs once its record is published. */
            readonly key: string;
            readonly type: string;
            /** @description Fully qualified, without a dot at the end. */
            readonly host: string;
            /** @description The expected value. TXT is unquoted and in one piece. */
            readonly value: string;
            /** @description Only for MX records. */
            readonly priority?: number;
            /** @description Seconds. */
            readonly ttl: number;
            /**
             * @description `pending`: the value does not exist yet.
             * @enum {string}
             */
            readonly status: "verified" | "not_found" | "mismatch" | "pending";
            /** @description The values found. */
            readonly found_values: readonly string[];
            /** @description Not required for verification. */
            readonly recommended?: boolean;
            /**
             * Format: date-time
             * @description For the record of a DKIM key that no longer signs: the time from which it may be removed. It then leaves this list.
             */
            readonly needed_until?: string;
        };
        readonly DnsRecordSet: {
            /** @constant */
            readonly object: "dns_record_set";
            readonly domain_id: string;
            readonly domain_name: string;
            readonly all_verified: boolean;
            /** Format: date-time */
            readonly checked_at: string;
            readonly records: readonly components["schemas"]["DnsRecord"][];
        };
        readonly Domain: {
            /** @constant */
            readonly object: "domain";
            readonly id: string;
            readonly name: string;
            /** @description `pending`, `verified`, `degraded` or `failed`; of a domain that is bought also `registering` and `registration_failed`. Further values may be added. */
            readonly status: string;
            /** @description `external`: the customer manages DNS. `service`: bought here; its DNS is configured automatically. */
            readonly managed_by: string;
            readonly dns_provider: string;
            readonly mx_verified: boolean;
            readonly spf_verified: boolean;
            readonly dkim_verified: boolean;
            readonly dmarc_verified: boolean;
            readonly outbound_verified: boolean;
            readonly dmarc_managed_externally: boolean;
            readonly catch_all_mailbox_id: string | null;
            /** Format: date-time */
            readonly verified_at: string | null;
            /**
             * Format: date-time
             * @description Of a domain that was bought here.
             */
            readonly expires_at: string | null;
            /** @description Whether a domain that was bought here is renewed, 30 days before it expires; null: it was not bought here. */
            readonly auto_renew: boolean | null;
            /** @description Why the last attempt at its renewal failed; null: none has failed since it was last renewed. */
            readonly renewal_error: string | null;
            /** @description The provider at which the server writes the DNS records; null: none. */
            readonly dns_api: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly DomainDegradedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.degraded";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly records: {
                    readonly mx: boolean;
                    readonly spf: boolean;
                    readonly dkim: boolean;
                    readonly dmarc: boolean;
                    readonly outbound: boolean;
                };
                /** Format: date-time */
                readonly checked_at: string;
            };
        };
        readonly DomainRegisteredEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.registered";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly name: string;
                /** Format: date-time */
                readonly expires_at: string | null;
                /** @description Why it failed. */
                readonly reason: string | null;
            };
        };
        readonly DomainRegistrationFailedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.registration_failed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly name: string;
                /** Format: date-time */
                readonly expires_at: string | null;
                /** @description Why it failed. */
                readonly reason: string | null;
            };
        };
        readonly DomainRenewalFailedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.renewal_failed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly name: string;
                /** Format: date-time */
                readonly expires_at: string | null;
                /** @description Why it failed. */
                readonly reason: string | null;
            };
        };
        readonly DomainRenewedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.renewed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly name: string;
                /** Format: date-time */
                readonly expires_at: string | null;
                /** @description Why it failed. */
                readonly reason: string | null;
            };
        };
        readonly DomainSearchResult: {
            readonly domain_name: string;
            readonly available: boolean;
            /** @description For the first year, in major units; null: the domain is not available. */
            readonly purchase_price: string | null;
            /** @description For each further year. */
            readonly renewal_price: string | null;
            /** @description ISO 4217. */
            readonly currency: string;
        };
        readonly DomainVerificationFailedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.verification_failed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                readonly records: {
                    readonly mx: boolean;
                    readonly spf: boolean;
                    readonly dkim: boolean;
                    readonly dmarc: boolean;
                    readonly outbound: boolean;
                };
                /** Format: date-time */
                readonly checked_at: string;
            };
        };
        readonly DomainVerifiedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "domain.verified";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly domain_id: string;
                /** Format: date-time */
                readonly verified_at: string;
            };
        };
        readonly EmailAddress: {
            readonly name: string | null;
            readonly email: string;
        };
        readonly Error: {
            readonly error: {
                /** @enum {string} */
                readonly type: "authentication_error" | "payment_required" | "authorization_error" | "quota_exceeded" | "not_found" | "method_not_allowed" | "conflict" | "precondition_failed" | "validation_error" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "rate_limit_exceeded" | "internal_error" | "service_unavailable";
                /** @description More specific than `type`, and equally stable. */
                readonly code?: string;
                /** @description For users. */
                readonly message: string;
                readonly request_id: string;
                /** @description One item per fault of the request; for limits the limit, for conflicts their cause. */
                readonly details?: readonly ({
                    readonly field?: string | null;
                    /** @enum {string} */
                    readonly code?: "required" | "invalid_type" | "invalid_format" | "too_short" | "too_long" | "out_of_range" | "not_allowed" | "unknown_reference" | "must_be_future" | "suppressed";
                    readonly message?: string;
                } & {
                    readonly [key: string]: unknown;
                })[];
            };
        };
        readonly Event: {
            /** @constant */
            readonly object: "event";
            /** @description The same in every delivery of the event. */
            readonly event_id: string;
            readonly event_type: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @description As in the webhook's request; its members depend on event_type. */
            readonly data: {
                readonly [key: string]: unknown;
            };
        };
        readonly Import: {
            /** @constant */
            readonly object: "import";
            readonly id: string;
            readonly mailbox_id: string;
            readonly address: string;
            /** @enum {string} */
            readonly status: "queued" | "running" | "paused_throttle" | "paused_quota" | "completed" | "failed" | "cancelled" | "undo_queued" | "undoing" | "undone" | "undo_failed";
            readonly source: {
                /** @enum {string} */
                readonly type: "imap" | "files";
                /** @enum {string} */
                readonly provider: "gmail" | "yahoo" | "aol" | "icloud" | "fastmail" | "zoho" | "imap" | "takeout" | "generic";
                readonly email: string | null;
                readonly host: string | null;
                readonly file_names: readonly string[] | null;
            };
            readonly options: {
                readonly range: string;
                readonly include_spam: boolean;
                readonly include_trash: boolean;
                readonly folders: readonly string[] | null;
                readonly exclude_folders: readonly string[];
                /** @description The folder below which everything goes. */
                readonly target_folder_id: string | null;
            };
            readonly counters: {
                /** @description Messages that are known so far. */
                readonly total: number;
                readonly processed: number;
                readonly imported: number;
                /** @description Messages that the mailbox has already. */
                readonly duplicates: number;
                /** @description Messages that the options leave out. */
                readonly skipped: number;
                readonly failed: number;
                /** @description Octets of the messages that were read. */
                readonly bytes_total: number;
                readonly bytes_imported: number;
                /** @description Messages that an undo has deleted. */
                readonly undone: number;
            };
            readonly folders: readonly {
                /** @description Path at the source. */
                readonly name: string;
                /** @description Where its mail goes. */
                readonly target_folder_id: string | null;
                readonly total: number;
                readonly imported: number;
                /** @description Messages that the mailbox has already. */
                readonly duplicates: number;
                /** @description Messages that the options leave out. */
                readonly skipped: number;
                readonly failed: number;
                /** @enum {string} */
                readonly status: "waiting" | "running" | "done";
            }[];
            readonly failure_reasons: {
                readonly [key: string]: number;
            };
            /** @description The first hundred messages that could not be imported. */
            readonly failures: readonly {
                readonly folder: string;
                /** @description Place of the message at the source: a UID, or an octet. */
                readonly position: string;
                readonly reason: string;
                readonly detail: string;
            }[];
            readonly error: {
                readonly code: string;
                readonly message: string;
            } | null;
            /**
             * Format: date-time
             * @description When a paused import goes on.
             */
            readonly resume_at: string | null;
            /** Format: date-time */
            readonly started_at: string | null;
            /** Format: date-time */
            readonly finished_at: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly ImportCompletedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "import.completed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly import_id: string;
                readonly mailbox_id: string;
                /** @enum {string} */
                readonly status: "completed" | "failed" | "undone";
                readonly counters: {
                    readonly total: number;
                    readonly processed: number;
                    readonly imported: number;
                    readonly duplicates: number;
                    readonly skipped: number;
                    readonly failed: number;
                    readonly undone: number;
                    readonly bytes_total: number;
                    readonly bytes_imported: number;
                };
            };
        };
        readonly ImportFailedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "import.failed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly import_id: string;
                readonly mailbox_id: string;
                /** @enum {string} */
                readonly status: "completed" | "failed" | "undone";
                readonly counters: {
                    readonly total: number;
                    readonly processed: number;
                    readonly imported: number;
                    readonly duplicates: number;
                    readonly skipped: number;
                    readonly failed: number;
                    readonly undone: number;
                    readonly bytes_total: number;
                    readonly bytes_imported: number;
                };
            };
        };
        readonly ImportFile: {
            /** @constant */
            readonly object: "import_file";
            readonly file_id: string;
            /** @description PUT the octets of the file here, without an Authorization header. A PUT with Content-Range resumes; HEAD tells in Upload-Offset how many octets are there. */
            readonly upload_url: string;
            /** Format: date-time */
            readonly expires_at: string;
        };
        readonly ImportUndoneEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "import.undone";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly import_id: string;
                readonly mailbox_id: string;
                /** @enum {string} */
                readonly status: "completed" | "failed" | "undone";
                readonly counters: {
                    readonly total: number;
                    readonly processed: number;
                    readonly imported: number;
                    readonly duplicates: number;
                    readonly skipped: number;
                    readonly failed: number;
                    readonly undone: number;
                    readonly bytes_total: number;
                    readonly bytes_imported: number;
                };
            };
        };
        readonly InboxAttachment: {
            readonly part_id: string | null;
            readonly blob_id: string;
            readonly name: string | null;
            readonly content_type: string;
            readonly size: number;
            /** @description URL of the file, relative to the server. */
            readonly download_path: string;
        };
        readonly InboxMessage: {
            /** @constant */
            readonly object: "inbox_message_full";
            readonly id: string;
            readonly thread_id: string;
            readonly mailbox_id: string;
            readonly address: string;
            readonly folder_ids: readonly string[];
            /** @description Such as `$seen` and `$flagged`. */
            readonly keywords: {
                readonly [key: string]: boolean;
            };
            readonly from: readonly components["schemas"]["EmailAddress"][] | null;
            readonly to: readonly components["schemas"]["EmailAddress"][] | null;
            readonly cc: readonly components["schemas"]["EmailAddress"][] | null;
            readonly bcc: readonly components["schemas"]["EmailAddress"][] | null;
            readonly reply_to: readonly components["schemas"]["EmailAddress"][] | null;
            readonly message_id: readonly string[] | null;
            readonly in_reply_to: readonly string[] | null;
            readonly references: readonly string[] | null;
            readonly subject: string;
            /** Format: date-time */
            readonly received_at: string;
            readonly preview: string;
            readonly has_attachment: boolean;
            /** @description Octets of the whole message. */
            readonly size: number;
            /** @description Contents by part id. They come from other people: escape them, and sanitise HTML. */
            readonly body_values: {
                readonly [key: string]: {
                    readonly value: string;
                    readonly is_encoding_problem: boolean;
                };
            };
            readonly text_body: readonly {
                readonly part_id: string;
                readonly type: string;
            }[];
            readonly html_body: readonly {
                readonly part_id: string;
                readonly type: string;
            }[];
            readonly attachments: readonly components["schemas"]["InboxAttachment"][];
            readonly authentication: components["schemas"]["Authentication"] | null;
            readonly spam_verdict: components["schemas"]["SpamVerdict"] | null;
            /** @description The actions at delivery, in order. */
            readonly delivery_trace: readonly components["schemas"]["DeliveryNote"][];
        };
        readonly InboxMessageAction: {
            /** @constant */
            readonly object: "inbox_message_action";
            readonly mailbox_id: string;
            readonly address: string;
            readonly message_id: string;
            readonly ok: boolean;
        };
        readonly InboxMessages: {
            /** @constant */
            readonly object: "inbox_messages";
            readonly mailbox_id: string;
            readonly address: string;
            readonly data: readonly components["schemas"]["InboxMessage"][];
            readonly pagination: {
                readonly position: number;
                readonly limit: number;
                readonly total: number;
                readonly has_more: boolean;
                readonly next_position: number | null;
            };
        };
        readonly InboxRule: {
            readonly id: string;
            readonly name: string;
            readonly enabled: boolean;
            readonly position: number;
            /** @enum {string} */
            readonly match_mode: "all" | "any";
            readonly stop: boolean;
            readonly conditions: readonly {
                /** @enum {string} */
                readonly type: "from_contains" | "from_not_contains" | "from_is" | "from_domain_is" | "to_contains" | "cc_contains" | "recipient_contains" | "subject_contains" | "subject_not_contains" | "subject_is" | "subject_starts_with" | "body_contains" | "header_contains" | "list_id_contains" | "attachment_name_contains" | "size_greater_than" | "size_less_than" | "has_attachment" | "is_auto_generated" | "all_messages";
                /** @description A text; `true` or `false` for has_attachment and is_auto_generated, `true` for all_messages, octets for size_*; for header_contains `Name: text`. */
                readonly value: string | number | boolean;
            }[];
            readonly actions: readonly {
                /** @enum {string} */
                readonly type: "move" | "mark_read" | "mark_important" | "mark_not_junk" | "star" | "draft_reply" | "ai_draft_reply" | "send_webhook";
                readonly target?: {
                    /**
                     * @description For custom folders folder_id, for system folders role names the folder.
                     * @enum {string}
                     */
                    readonly kind: "custom" | "system";
                    readonly folder_id?: string;
                    /** @enum {string} */
                    readonly role?: "inbox" | "archive" | "junk" | "trash";
                };
                /** @enum {string} */
                readonly reply_mode?: "reply" | "reply_all";
                readonly instructions?: string;
                readonly text?: string;
                readonly html?: string | null;
                readonly subject?: string | null;
            }[];
        };
        readonly InboxRuleInput: {
            readonly id?: string;
            readonly name: string;
            /** @description Default: true. */
            readonly enabled?: boolean;
            /** @description Position of the rule; default: its index in the array. */
            readonly position?: number;
            /**
             * @description Default: "all".
             * @enum {string}
             */
            readonly match_mode?: "all" | "any";
            /** @description If it matches, later rules do not run. Default: false. */
            readonly stop?: boolean;
            readonly conditions: readonly {
                /** @enum {string} */
                readonly type: "from_contains" | "from_not_contains" | "from_is" | "from_domain_is" | "to_contains" | "cc_contains" | "recipient_contains" | "subject_contains" | "subject_not_contains" | "subject_is" | "subject_starts_with" | "body_contains" | "header_contains" | "list_id_contains" | "attachment_name_contains" | "size_greater_than" | "size_less_than" | "has_attachment" | "is_auto_generated" | "all_messages";
                /** @description A text; `true` or `false` for has_attachment and is_auto_generated, `true` for all_messages, octets for size_*; for header_contains `Name: text`. */
                readonly value: string | number | boolean;
            }[];
            /** @description At most one `move`. */
            readonly actions: readonly {
                /** @enum {string} */
                readonly type: "move" | "mark_read" | "mark_important" | "mark_not_junk" | "star" | "draft_reply" | "ai_draft_reply" | "send_webhook";
                readonly target?: {
                    /**
                     * @description For custom folders folder_id, for system folders role names the folder.
                     * @enum {string}
                     */
                    readonly kind: "custom" | "system";
                    readonly folder_id?: string;
                    /** @enum {string} */
                    readonly role?: "inbox" | "archive" | "junk" | "trash";
                };
                /** @enum {string} */
                readonly reply_mode?: "reply" | "reply_all";
                readonly instructions?: string;
                readonly text?: string;
                readonly html?: string | null;
                readonly subject?: string | null;
            }[];
        };
        readonly InboxThread: {
            /** @constant */
            readonly object: "inbox_thread";
            readonly mailbox_id: string;
            readonly address: string;
            readonly id: string;
            readonly subject: string;
            readonly message_count: number;
            /** @description Oldest first. */
            readonly data: readonly components["schemas"]["InboxMessage"][];
        };
        readonly Mailbox: {
            /** @constant */
            readonly object: "mailbox";
            readonly id: string;
            readonly domain_id: string;
            readonly address: string;
            readonly display_name: string | null;
            /** @description IANA zone of the owner's calendar; null: UTC. */
            readonly timezone: string | null;
            /** @description Language tag of what the server writes to the owner; null: English. */
            readonly language: string | null;
            /** Format: date-time */
            readonly suspended_at: string | null;
            readonly spam_filter_threshold: number;
            readonly auto_reply: {
                readonly enabled: boolean;
                readonly subject: string | null;
                readonly body: string | null;
                /** Format: date-time */
                readonly from_date: string | null;
                /** Format: date-time */
                readonly to_date: string | null;
            };
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly MailboxFolder: {
            /** @constant */
            readonly object: "mailbox_folder";
            readonly id: string;
            readonly name: string;
            readonly parent_id: string | null;
            readonly role: string | null;
            /** @enum {string} */
            readonly kind: "system" | "custom";
            readonly total_emails: number;
            readonly unread_emails: number;
            /** @description Threads with at least one unread message in this folder. */
            readonly unread_threads: number;
            readonly sort_order: number;
        };
        readonly MailboxFolders: {
            /** @constant */
            readonly object: "mailbox_folders";
            readonly mailbox_id: string;
            readonly address: string;
            readonly data: readonly components["schemas"]["MailboxFolder"][];
        };
        readonly MailboxIdentities: {
            /** @constant */
            readonly object: "mailbox_identities";
            readonly mailbox_id: string;
            readonly address: string;
            readonly data: readonly components["schemas"]["MailboxIdentity"][];
        };
        readonly MailboxIdentity: {
            /** @constant */
            readonly object: "mailbox_identity";
            readonly id: string;
            readonly name: string;
            readonly email: string;
        };
        readonly MailboxRuleMatchedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "mailbox.rule_matched";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly mailbox_id: string;
                readonly mailbox_address: string;
                readonly rule_id: string;
                readonly rule_name: string;
                readonly action_index: number;
                /** Format: date-time */
                readonly matched_at: string;
                readonly message: {
                    readonly id: string;
                    readonly thread_id: string;
                    readonly subject: string;
                    readonly from: readonly {
                        readonly name: string | null;
                        readonly email: string;
                    }[];
                    readonly to: readonly {
                        readonly name: string | null;
                        readonly email: string;
                    }[];
                    /** Format: date-time */
                    readonly received_at: string;
                    readonly has_attachment: boolean;
                    /** @description Octets of the whole message. */
                    readonly size: number;
                };
            };
        };
        readonly MailboxRules: {
            /** @constant */
            readonly object: "mailbox_rules";
            readonly mailbox_id: string;
            readonly address: string;
            readonly rules: readonly components["schemas"]["InboxRule"][];
            readonly folders: readonly {
                readonly id: string;
                readonly name: string;
                readonly parent_id: string | null;
                readonly role: string | null;
                /** @enum {string} */
                readonly kind: "system" | "custom";
            }[];
        };
        readonly MailboxRulesTest: {
            /** @constant */
            readonly object: "mailbox_rules_test";
            readonly mailbox_id: string;
            readonly address: string;
            readonly message_id: string;
            /** @description Rules whose conditions the message meets, up to one that ends the run. */
            readonly matched_rules: readonly {
                readonly id: string;
                readonly name: string;
            }[];
            /** @description Folders that the message would be in. */
            readonly folder_ids: readonly string[];
            readonly read: boolean;
            readonly starred: boolean;
            readonly important: boolean;
        };
        readonly Message: {
            /** @constant */
            readonly object: "message";
            readonly id: string;
            readonly mailbox_id: string;
            readonly thread_id: string;
            readonly subject: string;
            readonly from_address: string;
            readonly to_addresses: readonly components["schemas"]["MessageAddress"][];
            readonly cc_addresses: readonly components["schemas"]["MessageAddress"][] | null;
            readonly bcc_addresses: readonly components["schemas"]["MessageAddress"][] | null;
            readonly attachments: readonly components["schemas"]["MessageAttachment"][] | null;
            /** @description `inbound`, `api`, `smtp`, `jmap`, `import`, `rule`, `calendar` or `newsletter`. */
            readonly source: string;
            /** @description `draft`, `scheduled`, `queued`, `sending`, `sent`, `delivered`, `deferred`, `bounced`, `failed`, `complained` or `cancelled`; inbound mail is `delivered`. */
            readonly status: string;
            /**
             * Format: date-time
             * @description Time of sending of a scheduled message.
             */
            readonly scheduled_at: string | null;
            /** @description The state of each recipient of a sent message. */
            readonly recipients: readonly {
                readonly address: string;
                readonly status: string;
                readonly smtp_reply: string | null;
            }[] | null;
            readonly tags: {
                readonly [key: string]: string;
            };
            readonly preview: string;
            readonly text: string | null;
            /** @description In inbound mail it comes from other people: sanitise it. */
            readonly html: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly MessageAddress: {
            readonly address: string;
            readonly name: string | null;
        };
        readonly MessageAttachment: {
            readonly filename: string | null;
            readonly content_type: string;
            readonly size: number;
            readonly blob_id: string;
            readonly content_id: string | null;
            readonly disposition: string | null;
            /** @description URL of the file, relative to the server. */
            readonly download_path: string;
        };
        readonly MessageBatch: {
            /** @constant */
            readonly object: "message_batch";
            readonly data: readonly {
                /** @constant */
                readonly object: "message_batch_item";
                readonly index: number;
                /** @description The response if the message were sent alone. */
                readonly status: number;
                readonly message: components["schemas"]["Message"] | null;
                readonly error: components["schemas"]["MessageBatchError"] | null;
            }[];
        };
        readonly MessageBatchError: {
            readonly type: string;
            readonly code: string;
            readonly message: string;
            readonly details: readonly {
                readonly [key: string]: unknown;
            }[] | null;
        };
        readonly MessageBouncedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "message.bounced";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly message_id: string;
                readonly mailbox_id: string;
                readonly to: string;
                /** @constant */
                readonly bounce_type: "permanent";
                /** @description Reason of the refusal, if known. */
                readonly smtp_code: number | null;
                /** @description Reply of the refusing server. */
                readonly diagnostic: string | null;
            };
        };
        readonly MessageComplainedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "message.complained";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly message_id: string;
                readonly mailbox_id: string;
                readonly to: string;
            };
        };
        readonly MessageDeliveredEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "message.delivered";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly message_id: string;
                readonly mailbox_id: string;
                readonly to: string;
            };
        };
        readonly MessagePreview: {
            /** @constant */
            readonly object: "message_preview";
            readonly mailbox_id: string;
            readonly from: string;
            readonly to: readonly string[];
            readonly cc: readonly string[];
            readonly bcc: readonly string[];
            readonly reply_to: readonly string[];
            readonly subject: string;
            readonly text: string;
            readonly html: string | null;
            readonly headers: {
                readonly [key: string]: string;
            };
            readonly in_reply_to: readonly string[] | null;
            readonly references: readonly string[] | null;
            readonly attachments: readonly {
                readonly filename: string;
                readonly content_type: string;
                readonly size: number | null;
            }[];
            readonly tags: {
                readonly [key: string]: string;
            };
            /** Format: date-time */
            readonly scheduled_at: string | null;
            readonly checks: readonly {
                readonly key: string;
                /** @constant */
                readonly status: "pass";
            }[];
        };
        readonly MessageReceivedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "message.received";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly message_id: string;
                readonly mailbox_id: string;
                readonly from: string;
                readonly to: readonly string[];
                readonly subject: string;
            };
        };
        readonly MessageSentEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "message.sent";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly message_id: string;
                readonly mailbox_id: string;
                readonly to: readonly string[];
                readonly subject: string;
            };
        };
        readonly NewApiKey: {
            /** @constant */
            readonly object: "api_key";
            readonly id: string;
            readonly name: string;
            /** @description The beginning of the key. */
            readonly prefix: string;
            readonly scopes: readonly string[];
            /** @description The mailboxes that it may use; null: all. */
            readonly mailbox_ids: readonly string[] | null;
            /** @description The domains that it may use; null: all. */
            readonly domain_ids: readonly string[] | null;
            /** @description IP addresses and ranges that may use it; null: all. */
            readonly allowed_ips: readonly string[] | null;
            /** Format: date-time */
            readonly expires_at: string | null;
            /**
             * Format: date-time
             * @description Updated at intervals.
             */
            readonly last_used_at: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** @description The key itself: returned here and never again. */
            readonly key: string;
        };
        readonly NewCalendarFeed: {
            /** @constant */
            readonly object: "calendar_feed";
            readonly id: string;
            readonly mailbox: string;
            /** @description null: the events of all calendars. */
            readonly calendar_id: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Who knows it may read the calendar. It is returned here and never again. */
            readonly url: string;
        };
        readonly NewMessage: {
            /** @description An address, `Name <address>`, or `{email, name}`. */
            readonly from?: string | {
                readonly email: string;
                readonly name?: string | null;
            };
            /** @description The sending mailbox, by id or address; `from` may then be omitted. */
            readonly mailbox_id?: string;
            /** @description The same as mailbox_id. */
            readonly mailbox?: string;
            /** @description At least one recipient in to, cc and bcc, at most 50 in all. */
            readonly to?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description Copies. */
            readonly cc?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description Copies that other recipients do not see. */
            readonly bcc?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description One line. */
            readonly subject?: string;
            /** @description Generated from html by default. */
            readonly text?: string | null;
            readonly html?: string | null;
            /** @description Addresses for replies. */
            readonly reply_to?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            readonly attachments?: readonly {
                /** @description No control characters. */
                readonly filename: string;
                /** @description The file in base64. */
                readonly content?: string;
                /** @description Instead of content: a blob of the sending mailbox. */
                readonly blob_id?: string;
                /** @description Not available: send the content. */
                readonly url?: string;
                /** @description A media type such as text/csv. */
                readonly content_type?: string;
                /** @description For `cid:` in the html; no spaces and no angle brackets. */
                readonly content_id?: string;
                /** @enum {string} */
                readonly disposition?: "attachment" | "inline";
            }[];
            /** @description Custom header fields, such as `List-Unsubscribe` or `X-Order`. */
            readonly headers?: {
                readonly [key: string]: string;
            };
            /** @description Your own labels, returned with the message and never sent. Also as a list of `{name, value}`. */
            readonly tags?: {
                readonly [key: string]: string;
            } | readonly {
                readonly name: string;
                readonly value: string;
            }[];
            /**
             * Format: date-time
             * @description Time of sending, within 30 days.
             */
            readonly scheduled_at?: string;
            readonly in_reply_to?: string;
            readonly references?: string | readonly string[];
            /** @description Instead of in_reply_to: replies to the latest message of the thread. */
            readonly thread_id?: string;
            /** @description true: the message is sent over verified TLS only (RFC 8689); it bounces if a server does not support that. Default: false. */
            readonly require_tls?: boolean;
            /** @description false stores no copy in the mailbox. Default: true. */
            readonly save_to_sent?: boolean;
            /** @description true checks the message and returns what would be sent; nothing is stored or sent. Default: false. */
            readonly dry_run?: boolean;
        };
        readonly NewReply: {
            /** @description Instead of the default; at most 50 in to and cc. */
            readonly to?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description Copies. */
            readonly cc?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description Copies that the others do not see. */
            readonly bcc?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            /** @description An address, `Name <address>`, or `{email, name}`. */
            readonly from?: string | {
                readonly email: string;
                readonly name?: string | null;
            };
            /** @description true adds the other recipients of the message that is answered. Default: false. */
            readonly reply_all?: boolean;
            /** @description One line. */
            readonly subject?: string;
            /** @description Generated from html by default. */
            readonly text?: string | null;
            readonly html?: string | null;
            /** @description Addresses for replies. */
            readonly reply_to?: string | {
                readonly email: string;
                readonly name?: string | null;
            } | readonly (string | {
                readonly email: string;
                readonly name?: string | null;
            })[];
            readonly attachments?: readonly {
                /** @description No control characters. */
                readonly filename: string;
                /** @description The file in base64. */
                readonly content?: string;
                /** @description Instead of content: a blob of the sending mailbox. */
                readonly blob_id?: string;
                /** @description Not available: send the content. */
                readonly url?: string;
                /** @description A media type such as text/csv. */
                readonly content_type?: string;
                /** @description For `cid:` in the html; no spaces and no angle brackets. */
                readonly content_id?: string;
                /** @enum {string} */
                readonly disposition?: "attachment" | "inline";
            }[];
            /** @description Custom header fields, such as `List-Unsubscribe` or `X-Order`. */
            readonly headers?: {
                readonly [key: string]: string;
            };
            /** @description Your own labels, returned with the message and never sent. Also as a list of `{name, value}`. */
            readonly tags?: {
                readonly [key: string]: string;
            } | readonly {
                readonly name: string;
                readonly value: string;
            }[];
            /**
             * Format: date-time
             * @description Time of sending, within 30 days.
             */
            readonly scheduled_at?: string;
        };
        readonly Newsletter: {
            /** @constant */
            readonly object: "newsletter";
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed";
            readonly audience_id: string | null;
            readonly newsletter_domain_id: string | null;
            readonly from_name: string | null;
            readonly from_address: string | null;
            readonly reply_to_mailbox_id: string | null;
            readonly subject: string;
            readonly preview_text: string | null;
            readonly language: string;
            readonly blocks: readonly {
                readonly [key: string]: unknown;
            }[];
            /** @description Derived from the blocks, without the footer. Merge fields stand as written. */
            readonly body_html: string;
            /** @description The text part, without the footer. */
            readonly body_text: string;
            readonly send_window_hours: number;
            /** @enum {string} */
            readonly archive_visibility: "private" | "unlisted" | "public";
            readonly archive_url: string | null;
            /** Format: date-time */
            readonly scheduled_at: string | null;
            /** Format: date-time */
            readonly started_at: string | null;
            /** Format: date-time */
            readonly completed_at: string | null;
            /** Format: date-time */
            readonly last_test_sent_at: string | null;
            readonly stats: {
                readonly recipients: number;
                readonly sent: number;
                readonly delivered: number;
                readonly bounced: number;
                readonly complained: number;
                readonly unsubscribed: number;
                readonly remaining: number;
            };
            readonly paused_reason: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly NewsletterAsset: {
            /** @constant */
            readonly object: "newsletter_asset";
            readonly id: string;
            /** @enum {string} */
            readonly kind: "image" | "video";
            readonly filename: string;
            /** @description By the octets. WebP images become JPEG, PNG or GIF. */
            readonly content_type: string;
            /** @description Octets that are served. */
            readonly size_bytes: number;
            /** @description SHA-256 of the uploaded octets. */
            readonly checksum: string;
            /** @description Public, and of one content for ever. */
            readonly url: string;
            /** @description For an image block: `url`. */
            readonly image_url: string | null;
            /** @description For a video block: `url`. */
            readonly video_url: string | null;
            /** @description For `thumbnail_url` of a video block. */
            readonly thumbnail_url: string | null;
            readonly width: number | null;
            readonly height: number | null;
            readonly duration_seconds: number | null;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly NewsletterDomain: {
            /** @constant */
            readonly object: "newsletter_domain";
            readonly id: string;
            readonly domain_id: string;
            readonly domain_name: string;
            /** @description Whether newsletters can be sent from it. */
            readonly verified: boolean;
            /** @description Addresses that From can have; any other of the domain is taken too. */
            readonly from_addresses: readonly string[];
            /** @description Where answers go if a newsletter names no mailbox. */
            readonly default_reply_to_mailbox_id: string | null;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly NewsletterFailedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "newsletter.failed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly newsletter_id: string;
                readonly audience_id: string | null;
                readonly status: string;
                /** @description Why it was paused or has failed. */
                readonly reason: string | null;
                readonly stats: {
                    readonly recipients: number;
                    readonly sent: number;
                    readonly delivered: number;
                    readonly bounced: number;
                    readonly complained: number;
                    readonly unsubscribed: number;
                    readonly remaining: number;
                };
            };
        };
        readonly NewsletterPausedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "newsletter.paused";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly newsletter_id: string;
                readonly audience_id: string | null;
                readonly status: string;
                /** @description Why it was paused or has failed. */
                readonly reason: string | null;
                readonly stats: {
                    readonly recipients: number;
                    readonly sent: number;
                    readonly delivered: number;
                    readonly bounced: number;
                    readonly complained: number;
                    readonly unsubscribed: number;
                    readonly remaining: number;
                };
            };
        };
        readonly NewsletterPreflight: {
            /** @constant */
            readonly object: "newsletter_preflight";
            readonly newsletter_id: string;
            /** @description Nothing fails. Warnings do not count. */
            readonly ready: boolean;
            readonly items: readonly {
                /** @enum {string} */
                readonly key: "domain_verification" | "reply_to_mailbox" | "audience_consent" | "body" | "links" | "images" | "footer_identity" | "test_send" | "account_restrictions";
                /** @enum {string} */
                readonly status: "pass" | "fail" | "warning";
                /** @description What to do, if there is something. */
                readonly message: string;
                /** @description The member of the newsletter to change. */
                readonly field: string | null;
                readonly action_url: string | null;
            }[];
            readonly url_breakdown: {
                /** @description Links. */
                readonly href_count: number;
                /** @description Images and thumbnails of videos. */
                readonly image_src_count: number;
                readonly video_href_count: number;
                /** @description URLs in `body_text`, if the author wrote it. */
                readonly text_url_count: number;
                /** @description Different URLs, without their fragments. */
                readonly unique_url_count: number;
                readonly max_unique_urls: number;
                /** @description Those beyond the maximum. */
                readonly offending_urls: readonly string[];
            };
            /** Format: date-time */
            readonly checked_at: string;
        };
        readonly NewsletterPreview: {
            /** @constant */
            readonly object: "newsletter_preview";
            readonly newsletter_id: string;
            /** @description As for a subscriber without merge fields. Show it in a sandboxed frame. */
            readonly send_html: string;
            /** @description As on a public page: without links that are of one subscriber. */
            readonly archive_html: string;
            readonly text: string;
            readonly warnings: readonly {
                readonly code: string;
                readonly message: string;
                readonly block_index: number | null;
            }[];
            readonly url_breakdown: {
                /** @description Links. */
                readonly href_count: number;
                /** @description Images and thumbnails of videos. */
                readonly image_src_count: number;
                readonly video_href_count: number;
                /** @description URLs in `body_text`, if the author wrote it. */
                readonly text_url_count: number;
                /** @description Different URLs, without their fragments. */
                readonly unique_url_count: number;
                readonly max_unique_urls: number;
                /** @description Those beyond the maximum. */
                readonly offending_urls: readonly string[];
            };
        };
        readonly NewsletterRecipient: {
            /** @constant */
            readonly object: "newsletter_recipient";
            readonly id: string;
            /** @description It may be deleted. */
            readonly subscriber_id: string;
            readonly email_address: string;
            /** @enum {string} */
            readonly status: "waiting" | "queued" | "delivered" | "bounced" | "skipped";
            /** @description Why it was skipped, or the last reply of a server. */
            readonly reason: string | null;
            /** @description Whether the recipient marked it as spam. */
            readonly complained: boolean;
            /** @description Whether the recipient unsubscribed by it. */
            readonly unsubscribed: boolean;
            /** Format: date-time */
            readonly queued_at: string | null;
            /** Format: date-time */
            readonly finished_at: string | null;
        };
        readonly NewsletterScheduledEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "newsletter.scheduled";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly newsletter_id: string;
                readonly audience_id: string | null;
                readonly status: string;
                /** @description Why it was paused or has failed. */
                readonly reason: string | null;
                readonly stats: {
                    readonly recipients: number;
                    readonly sent: number;
                    readonly delivered: number;
                    readonly bounced: number;
                    readonly complained: number;
                    readonly unsubscribed: number;
                    readonly remaining: number;
                };
            };
        };
        readonly NewsletterSentEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "newsletter.sent";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly newsletter_id: string;
                readonly audience_id: string | null;
                readonly status: string;
                /** @description Why it was paused or has failed. */
                readonly reason: string | null;
                readonly stats: {
                    readonly recipients: number;
                    readonly sent: number;
                    readonly delivered: number;
                    readonly bounced: number;
                    readonly complained: number;
                    readonly unsubscribed: number;
                    readonly remaining: number;
                };
            };
        };
        readonly NewsletterStartedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "newsletter.started";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly newsletter_id: string;
                readonly audience_id: string | null;
                readonly status: string;
                /** @description Why it was paused or has failed. */
                readonly reason: string | null;
                readonly stats: {
                    readonly recipients: number;
                    readonly sent: number;
                    readonly delivered: number;
                    readonly bounced: number;
                    readonly complained: number;
                    readonly unsubscribed: number;
                    readonly remaining: number;
                };
            };
        };
        readonly NewsletterTestSend: {
            /** @constant */
            readonly object: "newsletter_test_send";
            readonly newsletter_id: string;
            readonly recipient_email: string;
            readonly message_id: string;
            /** Format: date-time */
            readonly sent_at: string;
        };
        readonly OrgReputationRecoveredEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "org.reputation_recovered";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @enum {string} */
                readonly previous_status: "healthy" | "warning" | "throttled" | "suspended";
                /** @enum {string} */
                readonly new_status: "healthy" | "warning" | "throttled" | "suspended";
            };
        };
        readonly OrgReputationWarningEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "org.reputation_warning";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @enum {string} */
                readonly previous_status: "healthy" | "warning" | "throttled" | "suspended";
                /** @enum {string} */
                readonly new_status: "healthy" | "warning" | "throttled" | "suspended";
            };
        };
        readonly OrgSendingSuspendedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "org.sending_suspended";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @enum {string} */
                readonly previous_status: "healthy" | "warning" | "throttled" | "suspended";
                /** @enum {string} */
                readonly new_status: "healthy" | "warning" | "throttled" | "suspended";
            };
        };
        readonly OrgSendingThrottledEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "org.sending_throttled";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                /** @enum {string} */
                readonly previous_status: "healthy" | "warning" | "throttled" | "suspended";
                /** @enum {string} */
                readonly new_status: "healthy" | "warning" | "throttled" | "suspended";
            };
        };
        readonly Organization: {
            /** @constant */
            readonly object: "organization";
            readonly id: string;
            readonly name: string;
            /** @description In every newsletter. */
            readonly legal_name: string | null;
            /** @description In every newsletter; lines by \n. */
            readonly postal_address: string | null;
            /** @description Whether a newsletter can only be sent after a test. */
            readonly require_test_send: boolean;
            /** @description In the URLs of public pages. */
            readonly slug: string;
            /** @description Where the logo was fetched. */
            readonly logo_url: string | null;
            /** @description Of public pages; null: the usual one. */
            readonly accent_color: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly RegistrationContact: {
            readonly first_name?: string;
            readonly last_name?: string;
            readonly address1?: string;
            readonly city?: string;
            /** @description Required in US, CA, AU, BR, CN, IN, JP, MX and MY; a code in US, CA and AU. */
            readonly state?: string;
            readonly zip?: string;
            /** @description ISO 3166-1 alpha-2. */
            readonly country?: string;
            /** @description E.164, or `+1.4155550100`. */
            readonly phone?: string;
            readonly email?: string;
        };
        readonly SpamVerdict: {
            /** @description At or above the threshold the message is junk. */
            readonly score: number;
            /** @description Threshold of the mailbox when the message arrived. */
            readonly threshold: number | null;
            /** @description `posthouse`, or `rspamd` if the operator has configured it. */
            readonly engine: string;
            /** @description In order of weight, the heaviest first. */
            readonly symbols: readonly {
                readonly name: string;
                readonly score: number;
                readonly description: string;
                /** @description Text that caused it; it comes from other people. */
                readonly detail: string | null;
            }[];
        };
        readonly Status: {
            /** @constant */
            readonly status: "operational";
            /** @constant */
            readonly version: "v1";
            /** Format: date-time */
            readonly time: string;
            readonly request_id: string;
        };
        readonly Subscriber: {
            /** @constant */
            readonly object: "subscriber";
            readonly id: string;
            readonly audience_id: string;
            /** @description In lower case, the domain in ASCII. */
            readonly email_address: string;
            readonly display_name: string | null;
            /**
             * @description Only `subscribed` ones get newsletters.
             * @enum {string}
             */
            readonly status: "subscribed" | "unsubscribed" | "bounced" | "complained" | "suppressed" | "transactional_only";
            /** @description Values for the text of newsletters by their names: a letter, then letters, digits and _. At most 50. */
            readonly merge_fields: {
                readonly [key: string]: (string | number | boolean) | null;
            };
            readonly consent_source: string;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly SubscriberAddOutcome: {
            /** @description As sent, trimmed and in lower case. */
            readonly email_address: string;
            /**
             * @description Why an address is not mailable is not told.
             * @enum {string}
             */
            readonly outcome: "created" | "updated" | "skipped_not_mailable" | "skipped_invalid" | "skipped_cap" | "skipped_quota";
        };
        readonly SubscriberAddOutcomes: {
            readonly results: readonly components["schemas"]["SubscriberAddOutcome"][];
        };
        readonly SubscriberBouncedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "subscriber.bounced";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly subscriber_id: string;
                readonly audience_id: string;
                readonly email_address: string;
                /** @description The newsletter that it is about, if it is about one. */
                readonly newsletter_id: string | null;
            };
        };
        readonly SubscriberComplainedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "subscriber.complained";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly subscriber_id: string;
                readonly audience_id: string;
                readonly email_address: string;
                /** @description The newsletter that it is about, if it is about one. */
                readonly newsletter_id: string | null;
            };
        };
        readonly SubscriberUnsubscribedEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "subscriber.unsubscribed";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly subscriber_id: string;
                readonly audience_id: string;
                readonly email_address: string;
                /** @description The newsletter that it is about, if it is about one. */
                readonly newsletter_id: string | null;
            };
        };
        readonly Suppression: {
            /** @constant */
            readonly object: "suppression";
            readonly id: string;
            readonly email_address: string;
            /** @description `hard_bounce`, `complaint` or `manual`; further values may be added. */
            readonly reason: string;
            /** @description The message that bounced or was complained about. */
            readonly source_message_id: string | null;
            readonly smtp_response: string | null;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly Thread: {
            /** @constant */
            readonly object: "thread";
            readonly id: string;
            readonly mailbox_id: string;
            readonly subject: string;
            readonly message_count: number;
            readonly latest_message: components["schemas"]["Message"];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly UploadedNewsletterAsset: {
            /** @constant */
            readonly object: "newsletter_asset";
            readonly id: string;
            /** @enum {string} */
            readonly kind: "image" | "video";
            readonly filename: string;
            /** @description By the octets. WebP images become JPEG, PNG or GIF. */
            readonly content_type: string;
            /** @description Octets that are served. */
            readonly size_bytes: number;
            /** @description SHA-256 of the uploaded octets. */
            readonly checksum: string;
            /** @description Public, and of one content for ever. */
            readonly url: string;
            /** @description For an image block: `url`. */
            readonly image_url: string | null;
            /** @description For a video block: `url`. */
            readonly video_url: string | null;
            /** @description For `thumbnail_url` of a video block. */
            readonly thumbnail_url: string | null;
            readonly width: number | null;
            readonly height: number | null;
            readonly duration_seconds: number | null;
            /** Format: date-time */
            readonly created_at: string;
            /** @description These octets were an asset already. */
            readonly deduplicated: boolean;
            readonly storage: {
                readonly used_bytes: number;
                /** @description Of the plan; null: no limit. */
                readonly limit_bytes: number | null;
            };
        };
        readonly Usage: {
            /** @constant */
            readonly object: "usage";
            readonly plan: string;
            /**
             * Format: date-time
             * @description null: no trial.
             */
            readonly trial_ends_at: string | null;
            /** Format: date-time */
            readonly period_start: string;
            /**
             * Format: date-time
             * @description Start of the next count of sends.
             */
            readonly period_end: string;
            readonly sends: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly mailboxes: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly aliases: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly audience_ingest: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly newsletter_media_bytes: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly newsletter_content_bytes: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly team_members: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit: number | null;
            };
            readonly storage_bytes: {
                readonly used: number;
                /** @description null: no limit. */
                readonly limit_per_mailbox: number | null;
            };
        };
        readonly Webhook: {
            /** @constant */
            readonly object: "webhook";
            readonly id: string;
            readonly url: string;
            readonly events: readonly components["schemas"]["WebhookEventType"][];
            /** @description false: it gets no events. It becomes false after 3 failed deliveries in a row. */
            readonly active: boolean;
            readonly description: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly WebhookDelivery: {
            /** @constant */
            readonly object: "webhook_delivery";
            readonly id: string;
            readonly webhook_id: string;
            /** @description The same at every attempt and every replay. */
            readonly event_id: string;
            readonly event_type: string;
            /**
             * @description `pending` until it is delivered, or has failed finally.
             * @enum {string}
             */
            readonly status: "pending" | "delivered" | "failed";
            /** @description Completed attempts, up to 5. */
            readonly attempts: number;
            readonly last_status_code: number | null;
            readonly last_error: string | null;
            /** Format: date-time */
            readonly next_attempt_at: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly delivered_at: string | null;
        };
        readonly WebhookDeliveryDetail: {
            /** @constant */
            readonly object: "webhook_delivery";
            readonly id: string;
            readonly webhook_id: string;
            /** @description The same at every attempt and every replay. */
            readonly event_id: string;
            readonly event_type: string;
            /**
             * @description `pending` until it is delivered, or has failed finally.
             * @enum {string}
             */
            readonly status: "pending" | "delivered" | "failed";
            /** @description Completed attempts, up to 5. */
            readonly attempts: number;
            readonly last_status_code: number | null;
            readonly last_error: string | null;
            /** Format: date-time */
            readonly next_attempt_at: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly delivered_at: string | null;
            /** @description The posted text: the envelope of the event. */
            readonly request_body: string | null;
            /** @description The beginning of the response to the last attempt, up to 4,096 octets. */
            readonly response_body: string | null;
        };
        /** @enum {string} */
        readonly WebhookEventType: "message.received" | "message.sent" | "message.delivered" | "message.bounced" | "message.complained" | "mailbox.rule_matched" | "booking.created" | "booking.rescheduled" | "booking.cancelled" | "newsletter.scheduled" | "newsletter.started" | "newsletter.paused" | "newsletter.sent" | "newsletter.failed" | "subscriber.unsubscribed" | "subscriber.bounced" | "subscriber.complained" | "calendar.event_created" | "calendar.event_updated" | "calendar.event_deleted" | "calendar.invitation_replied" | "import.completed" | "import.failed" | "import.undone" | "domain.verified" | "domain.verification_failed" | "domain.degraded" | "domain.registered" | "domain.registration_failed" | "domain.renewed" | "domain.renewal_failed" | "org.reputation_warning" | "org.sending_throttled" | "org.sending_suspended" | "org.reputation_recovered";
        readonly WebhookSecret: {
            /** @description The key that signs deliveries. It is returned once: store it safely. */
            readonly secret: string;
            /** Format: date-time */
            readonly previous_secret_expires_at: string;
        };
        readonly WebhookTest: {
            readonly event_id: string;
        };
        readonly WebhookTestEvent: {
            /** @description The same for repeated deliveries of the event. */
            readonly event_id: string;
            /** @constant */
            readonly event_type: "webhook.test";
            /** Format: date-time */
            readonly created_at: string;
            readonly data: {
                readonly webhook_id: string;
                readonly message: string;
                /** Format: date-time */
                readonly triggered_at: string;
            };
        };
        readonly WebhookWithSecret: {
            /** @constant */
            readonly object: "webhook";
            readonly id: string;
            readonly url: string;
            readonly events: readonly components["schemas"]["WebhookEventType"][];
            /** @description false: it gets no events. It becomes false after 3 failed deliveries in a row. */
            readonly active: boolean;
            readonly description: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** @description The key that signs deliveries. It is returned once: store it safely. */
            readonly secret: string;
        };
        readonly ZoneRecord: {
            readonly host: string;
            readonly type: string;
            readonly value: string;
            /** @description Of MX and SRV. */
            readonly priority?: number;
            /** @description Seconds. */
            readonly ttl: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    readonly listDomains: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Domain"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    readonly getDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    readonly deleteDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A mailbox of this domain, which gets mail for addresses that do not exist; null: none. */
                    readonly catch_all_mailbox_id?: string | null;
                    /** @description false: the DMARC record must be ours; a record of another service is not accepted. */
                    readonly dmarc_managed_externally?: boolean;
                    /** @description Of a domain that was bought here. */
                    readonly auto_renew?: boolean;
                    readonly dns_credentials?: components["schemas"]["DnsCredentials"] | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    readonly getDnsRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Adds records that are recommended but not required for verification. */
                readonly include?: "recommended";
                readonly format?: "json" | "zone";
            };
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DnsRecordSet"];
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly verifyDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    readonly searchDomains: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly keyword: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly results: readonly components["schemas"]["DomainSearchResult"][];
                    };
                };
            };
        };
    };
    readonly registerDomain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                    /** @description By default 1. */
                    readonly years?: number;
                    readonly contact: components["schemas"]["RegistrationContact"];
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    readonly applyDnsRecords: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly domain_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description By default false. */
                    readonly dry_run?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DnsChanges"];
                };
            };
        };
    };
    readonly listMailboxes: {
        readonly parameters: {
            readonly query?: {
                /** @description Only mailboxes of this domain. */
                readonly domain_id?: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Mailbox"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createMailbox: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A verified domain. */
                    readonly domain_id: string;
                    /** @description The local part: letters, digits, and dots, hyphens and underscores between them. */
                    readonly address: string;
                    /** @description No control characters; an empty text clears it. */
                    readonly display_name?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly getMailbox: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly deleteMailbox: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateMailbox: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description No control characters; an empty text clears it. */
                    readonly display_name?: string | null;
                    /** @description IANA zone. */
                    readonly timezone?: string | null;
                    /** @description Language tag (RFC 5646). */
                    readonly language?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly setMailboxPassword: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description It must have a lower-case letter, an upper-case letter and a digit. */
                    readonly password: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly setAutoReply: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly enabled: boolean;
                    readonly subject?: string | null;
                    /** @description Required when enabled is true. */
                    readonly body?: string | null;
                    /** Format: date-time */
                    readonly from_date?: string | null;
                    /**
                     * Format: date-time
                     * @description After from_date.
                     */
                    readonly to_date?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly setSpamFilter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Lower is stricter. */
                    readonly threshold: number;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Mailbox"];
                };
            };
        };
    };
    readonly listFolders: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxFolders"];
                };
            };
        };
    };
    readonly createFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Different from other folders with the same parent, ignoring case; 255 octets, no "/". */
                    readonly name: string;
                    /** @description The parent folder, not trash or junk; null: none. */
                    readonly parent_id?: string | null;
                    /** @description Lower values come first. */
                    readonly sort_order?: number;
                    /** @description The same as the header Idempotency-Key. */
                    readonly idempotency_key?: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxFolder"];
                };
            };
        };
    };
    readonly getFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly folder_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxFolder"];
                };
            };
        };
    };
    readonly deleteFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly folder_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateFolder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly folder_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Different from other folders with the same parent, ignoring case; 255 octets, no "/". */
                    readonly name?: string;
                    /** @description The parent folder, not trash or junk; null: none. */
                    readonly parent_id?: string | null;
                    /** @description Lower values come first. */
                    readonly sort_order?: number;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxFolder"];
                };
            };
        };
    };
    readonly listIdentities: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxIdentities"];
                };
            };
        };
    };
    readonly listImports: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Import"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly startImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly source: {
                        /** @enum {string} */
                        readonly type: "imap" | "files";
                        /** @enum {string} */
                        readonly provider: "gmail" | "yahoo" | "aol" | "icloud" | "fastmail" | "zoho" | "imap" | "takeout" | "generic";
                        readonly email?: string;
                        /** @description An app password. It is stored encrypted and deleted at the end. */
                        readonly password?: string;
                        /** @description Of the provider `imap`, as are the next three. */
                        readonly host?: string;
                        readonly port?: number;
                        /** @enum {string} */
                        readonly security?: "tls" | "starttls";
                        /** @description By default the address. */
                        readonly username?: string;
                        readonly file_ids?: readonly string[];
                    };
                    readonly options?: {
                        /** @description Days, months or years back from now, such as `6m`; or `all`. */
                        readonly range?: string;
                        readonly include_spam?: boolean;
                        readonly include_trash?: boolean;
                        readonly folders?: readonly string[] | null;
                        readonly exclude_folders?: readonly string[];
                        readonly target_folder_id?: string | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly stageImportFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Ends in `.mbox`, `.mbox.gz`, `.zip` or `.eml`. */
                    readonly file_name: string;
                    readonly size_bytes: number;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ImportFile"];
                };
            };
        };
    };
    readonly getImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly import_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly cancelImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly import_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly undoImport: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly import_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Import"];
                };
            };
        };
    };
    readonly listInboxMessages: {
        readonly parameters: {
            readonly query?: {
                /** @description Number of messages to skip. */
                readonly position?: number;
                readonly limit?: number;
                /** @description Only this folder; not together with folder_role. */
                readonly folder_id?: string;
                /** @description Only the folder of this role. */
                readonly folder_role?: "inbox" | "drafts" | "sent" | "archive" | "junk" | "trash";
                /** @description In from, to, cc, subject and text. */
                readonly search_text?: string;
                /** @description A keyword: printable ASCII without spaces and ( ) { ] % * " \. */
                readonly has_keyword?: string;
                /** @description A keyword: printable ASCII without spaces and ( ) { ] % * " \. */
                readonly not_keyword?: string;
                /** @description Only messages of this time or later. */
                readonly received_after?: string;
                /** @description Only messages before this time. */
                readonly received_before?: string;
                /** @description false leaves `body_values` empty. */
                readonly body?: boolean;
            };
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxMessages"];
                };
            };
        };
    };
    readonly getInboxMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxMessage"];
                };
            };
        };
    };
    readonly deleteInboxMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxMessageAction"];
                };
            };
        };
    };
    readonly updateInboxMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly read?: boolean;
                    readonly starred?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxMessageAction"];
                };
            };
        };
    };
    readonly downloadRawMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
            /** @description A part of the file. */
            readonly 206: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
        };
    };
    readonly moveInboxMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly target_role?: "inbox" | "archive" | "junk" | "trash";
                    /** @description Instead of target_role. */
                    readonly target_folder_id?: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxMessageAction"];
                };
            };
        };
    };
    readonly getInboxThread: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly thread_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InboxThread"];
                };
            };
        };
    };
    readonly downloadAttachment: {
        readonly parameters: {
            readonly query: {
                /** @description `blob_id` of the attachment. */
                readonly blob_id: string;
                /** @description File name for saving it. */
                readonly name?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
            /** @description A part of the file. */
            readonly 206: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": string;
                };
            };
        };
    };
    readonly getRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxRules"];
                };
            };
        };
    };
    readonly replaceRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly rules: readonly components["schemas"]["InboxRuleInput"][];
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxRules"];
                };
            };
        };
    };
    readonly testRules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly message_id: string;
                    readonly rules?: readonly components["schemas"]["InboxRuleInput"][];
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MailboxRulesTest"];
                };
            };
        };
    };
    readonly listMessages: {
        readonly parameters: {
            readonly query?: {
                /** @description Only messages of this mailbox. */
                readonly mailbox_id?: string;
                /** @description Only scheduled or cancelled messages. */
                readonly status?: "scheduled" | "cancelled";
                /** @description Only messages with this tag, as `name:value`. */
                readonly tag?: string;
                /** @description Only messages to this address (in to, cc or bcc). */
                readonly recipient?: string;
                /** @description Only messages of this time or later. */
                readonly created_after?: string;
                /** @description Only messages before this time. */
                readonly created_before?: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Message"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly sendMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewMessage"];
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessagePreview"];
                };
            };
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    readonly sendBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description None with dry_run. */
                    readonly messages: readonly components["schemas"]["NewMessage"][];
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MessageBatch"];
                };
            };
        };
    };
    readonly getMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    readonly cancelMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly message_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    readonly listThreads: {
        readonly parameters: {
            readonly query: {
                readonly mailbox_id: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Thread"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly getThread: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly thread_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Message"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly replyToThread: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly thread_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewReply"];
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    readonly listAliases: {
        readonly parameters: {
            readonly query?: {
                /** @description Only aliases of this domain. */
                readonly domain_id?: string;
                /** @description Only aliases of this mailbox. */
                readonly mailbox_id?: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Alias"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A verified domain. */
                    readonly domain_id: string;
                    /** @description The local part: letters, digits, and dots, hyphens and underscores between them. */
                    readonly address: string;
                    /** @description The mailbox that gets its mail. */
                    readonly mailbox_id: string;
                    /** @description Default: true. */
                    readonly enabled?: boolean;
                    readonly description?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
        };
    };
    readonly getAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
        };
    };
    readonly deleteAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly alias_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The mailbox that gets its mail. */
                    readonly mailbox_id?: string;
                    readonly enabled?: boolean;
                    readonly description?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Alias"];
                };
            };
        };
    };
    readonly listCalendarEvents: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
                readonly from: string;
                /** @description After `from`; with `expand` at most 366 days. */
                readonly to: string;
                /** @description Recurring events as instances. */
                readonly expand?: "true" | "1" | "yes" | "false" | "0" | "no";
                /** @description Only events of this calendar. */
                readonly calendar_id?: string;
                /** @description `next_cursor` of the previous page, with the same parameters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["CalendarEvent"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createCalendarEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Address of the mailbox. */
                    readonly mailbox: string;
                    readonly title: string;
                    /** @description Local time in `timezone`, or an instant with `Z` or an offset; of an all-day event the date. */
                    readonly start: string;
                    /** @description Default: a new UUID. */
                    readonly uid?: string;
                    /** @description Default: the default calendar of the mailbox. */
                    readonly calendar_id?: string;
                    readonly description?: string | null;
                    readonly location?: string | null;
                    readonly video_url?: string | null;
                    /**
                     * @description It makes a meeting and keeps it like the event; it must be connected. null: none.
                     * @enum {string|null}
                     */
                    readonly conferencing_provider?: "zoom" | "jitsi" | null;
                    /** @description A name of CSS or `#rrggbb`. */
                    readonly color?: string | null;
                    /** @description `start` and `end` are dates. Changes only together with `start`. */
                    readonly all_day?: boolean;
                    /** @description Instead of `duration`. Local like `start`, or an instant; exclusive. */
                    readonly end?: string;
                    /** @description IANA zone. Default: the owner's. null: floating. */
                    readonly timezone?: string | null;
                    /** @description ISO 8601. Default: PT30M; all-day P1D. */
                    readonly duration?: string;
                    /** @enum {string} */
                    readonly status?: "confirmed" | "tentative" | "cancelled";
                    /** @enum {string} */
                    readonly free_busy_status?: "free" | "busy";
                    /** @enum {string} */
                    readonly privacy?: "public" | "private" | "secret";
                    readonly recurrence?: {
                        /**
                         * @description How often.
                         * @enum {string}
                         */
                        readonly frequency: "daily" | "weekly" | "monthly" | "yearly";
                        /** @description Every so many periods. Default: 1. */
                        readonly interval?: number;
                        /** @description Instances in all; not together with `until`. */
                        readonly count?: number | null;
                        /** @description The last start: an instant, or a date, which counts as a whole. */
                        readonly until?: string | null;
                        /** @description Weekdays; with a number that one of the month or year, from the end if negative. */
                        readonly by_day?: readonly string[] | null;
                    } | null;
                    /** @description Mails to the mailbox's own address. */
                    readonly reminders?: readonly {
                        /** @description Of the start. */
                        readonly minutes_before: number;
                    }[] | null;
                    /** @description The full list. New ones are invited, removed ones get a cancellation. */
                    readonly attendees?: readonly {
                        /** Format: email */
                        readonly email: string;
                        readonly name?: string | null;
                    }[];
                    /** @description false: attendees get no mail about this change. Default: true. */
                    readonly send_invitations?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarEvent"];
                };
            };
        };
    };
    readonly getCalendarEvent: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
            };
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarEvent"];
                };
            };
        };
    };
    readonly deleteCalendarEvent: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
                /** @description false: attendees get no mail. Default: true. */
                readonly send_invitations?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateCalendarEvent: {
        readonly parameters: {
            readonly query?: {
                /** @description false: attendees get no mail. Default: true. */
                readonly send_invitations?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Address of the mailbox. */
                    readonly mailbox: string;
                    readonly title?: string;
                    /** @description Local time in `timezone`, or an instant with `Z` or an offset; of an all-day event the date. */
                    readonly start?: string;
                    /** @description Default: the default calendar of the mailbox. */
                    readonly calendar_id?: string;
                    readonly description?: string | null;
                    readonly location?: string | null;
                    readonly video_url?: string | null;
                    /**
                     * @description It makes a meeting and keeps it like the event; it must be connected. null: none.
                     * @enum {string|null}
                     */
                    readonly conferencing_provider?: "zoom" | "jitsi" | null;
                    /** @description A name of CSS or `#rrggbb`. */
                    readonly color?: string | null;
                    /** @description `start` and `end` are dates. Changes only together with `start`. */
                    readonly all_day?: boolean;
                    /** @description Instead of `duration`. Local like `start`, or an instant; exclusive. */
                    readonly end?: string;
                    /** @description IANA zone. Default: the owner's. null: floating. */
                    readonly timezone?: string | null;
                    /** @description ISO 8601. Default: PT30M; all-day P1D. */
                    readonly duration?: string;
                    /** @enum {string} */
                    readonly status?: "confirmed" | "tentative" | "cancelled";
                    /** @enum {string} */
                    readonly free_busy_status?: "free" | "busy";
                    /** @enum {string} */
                    readonly privacy?: "public" | "private" | "secret";
                    readonly recurrence?: {
                        /**
                         * @description How often.
                         * @enum {string}
                         */
                        readonly frequency: "daily" | "weekly" | "monthly" | "yearly";
                        /** @description Every so many periods. Default: 1. */
                        readonly interval?: number;
                        /** @description Instances in all; not together with `until`. */
                        readonly count?: number | null;
                        /** @description The last start: an instant, or a date, which counts as a whole. */
                        readonly until?: string | null;
                        /** @description Weekdays; with a number that one of the month or year, from the end if negative. */
                        readonly by_day?: readonly string[] | null;
                    } | null;
                    /** @description Mails to the mailbox's own address. */
                    readonly reminders?: readonly {
                        /** @description Of the start. */
                        readonly minutes_before: number;
                    }[] | null;
                    /** @description The full list. New ones are invited, removed ones get a cancellation. */
                    readonly attendees?: readonly {
                        /** Format: email */
                        readonly email: string;
                        readonly name?: string | null;
                    }[];
                    /** @description false: attendees get no mail about this change. Default: true. */
                    readonly send_invitations?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarEvent"];
                };
            };
        };
    };
    readonly respondToCalendarEvent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly event_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Address of the mailbox. */
                    readonly mailbox: string;
                    /** @enum {string} */
                    readonly status: "accepted" | "declined" | "tentative";
                    /** @description For the organizer. */
                    readonly comment?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarEvent"];
                };
            };
        };
    };
    readonly exportCalendar: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
                /** @description Only events of this calendar. Default: of all calendars. */
                readonly calendar_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/calendar": string;
                };
            };
        };
    };
    readonly importCalendar: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
                /** @description The calendar of new events. Default: the default calendar of the mailbox. */
                readonly calendar_id?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "text/calendar": string;
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarImport"];
                };
            };
        };
    };
    readonly listCalendarFeeds: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarFeeds"];
                };
            };
        };
    };
    readonly createCalendarFeed: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Address of the mailbox. */
                    readonly mailbox: string;
                    /** @description Default: the events of all calendars of the mailbox. */
                    readonly calendar_id?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewCalendarFeed"];
                };
            };
        };
    };
    readonly getCalendarFeed: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
            };
            readonly header?: never;
            readonly path: {
                readonly feed_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarFeed"];
                };
            };
        };
    };
    readonly deleteCalendarFeed: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
            };
            readonly header?: never;
            readonly path: {
                readonly feed_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly getAvailability: {
        readonly parameters: {
            readonly query: {
                /** @description Address of the mailbox. */
                readonly mailbox: string;
                readonly from: string;
                /** @description At most 62 days after `from`. */
                readonly to: string;
                /** @description Minutes of a slot. */
                readonly duration?: number;
                /** @description Minutes between two starts; by default `duration`. */
                readonly interval?: number;
                /** @description IANA zone of `days` and the window. */
                readonly timezone?: string;
                /** @description Separated by commas; 0 is Sunday. */
                readonly days?: string;
                /** @description Minutes from midnight. */
                readonly window_start?: number;
                /** @description Minutes from midnight. */
                readonly window_end?: number;
                /** @description Free minutes before and after a slot. */
                readonly buffer?: number;
                /** @description Minutes from now to the first slot. */
                readonly minimum_notice?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CalendarAvailability"];
                };
            };
        };
    };
    readonly listBookingPages: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["BookingPage"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createBookingPage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                    /** @description Address of the mailbox whose calendar is booked. */
                    readonly mailbox: string;
                    /** @description By default it is made from the name. */
                    readonly slug?: string;
                    readonly description?: string | null;
                    /** @description Default: 30. */
                    readonly duration_minutes?: number;
                    /** @description Each once; 0 is Sunday. Default: Monday to Friday. */
                    readonly availability_days?: readonly number[];
                    /** @description Default: 540. */
                    readonly window_start_minutes?: number;
                    /** @description Default: 1020. */
                    readonly window_end_minutes?: number;
                    /** @description By default that of the mailbox's owner. */
                    readonly timezone?: string;
                    /** @description Default: 0. */
                    readonly buffer_minutes?: number;
                    /** @description Default: 120. */
                    readonly minimum_notice_minutes?: number;
                    /** @description Default: 60. */
                    readonly max_advance_days?: number;
                    /**
                     * @description It must be connected to the mailbox. null: bookings get no meeting links.
                     * @enum {string|null}
                     */
                    readonly conferencing_provider?: "zoom" | "jitsi" | null;
                    /** @description Default: true. */
                    readonly active?: boolean;
                    /** @description Sites whose pages may show it in a frame. Default: none. */
                    readonly embed_origins?: readonly string[];
                    /** @description Default: false. */
                    readonly confirm_by_email?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BookingPage"];
                };
            };
        };
    };
    readonly getBookingPage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly booking_page_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BookingPage"];
                };
            };
        };
    };
    readonly deleteBookingPage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly booking_page_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateBookingPage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly booking_page_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string;
                    /** @description Address of the mailbox whose calendar is booked. */
                    readonly mailbox?: string;
                    /** @description By default it is made from the name. */
                    readonly slug?: string;
                    readonly description?: string | null;
                    /** @description Default: 30. */
                    readonly duration_minutes?: number;
                    /** @description Each once; 0 is Sunday. Default: Monday to Friday. */
                    readonly availability_days?: readonly number[];
                    /** @description Default: 540. */
                    readonly window_start_minutes?: number;
                    /** @description Default: 1020. */
                    readonly window_end_minutes?: number;
                    /** @description By default that of the mailbox's owner. */
                    readonly timezone?: string;
                    /** @description Default: 0. */
                    readonly buffer_minutes?: number;
                    /** @description Default: 120. */
                    readonly minimum_notice_minutes?: number;
                    /** @description Default: 60. */
                    readonly max_advance_days?: number;
                    /**
                     * @description It must be connected to the mailbox. null: bookings get no meeting links.
                     * @enum {string|null}
                     */
                    readonly conferencing_provider?: "zoom" | "jitsi" | null;
                    /** @description Default: true. */
                    readonly active?: boolean;
                    /** @description Sites whose pages may show it in a frame. Default: none. */
                    readonly embed_origins?: readonly string[];
                    /** @description Default: false. */
                    readonly confirm_by_email?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BookingPage"];
                };
            };
        };
    };
    readonly listConferencing: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Conferencing"][];
                    };
                };
            };
        };
    };
    readonly connectJitsi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description An https:// URL. The room stands in place of `{room}`, else it is the last segment of the path. */
                    readonly url_template: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Conferencing"];
                };
            };
        };
    };
    readonly connectZoom: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly account_id: string;
                    readonly client_id: string;
                    readonly client_secret: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Conferencing"];
                };
            };
        };
    };
    readonly disconnectConferencing: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly mailbox_id: string;
                readonly provider: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listAudiences: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Audience"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                    readonly description?: string | null;
                    /** @description Switches the public sign-up page on and off; off by default. */
                    readonly signup_page?: boolean;
                    /** @description How its members have opted in. Every subscriber that is added takes it over. */
                    readonly consent_source: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Audience"];
                };
            };
        };
    };
    readonly getAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Audience"];
                };
            };
        };
    };
    readonly deleteAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string;
                    readonly description?: string | null;
                    /** @description Switches the public sign-up page on and off; off by default. */
                    readonly signup_page?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Audience"];
                };
            };
        };
    };
    readonly listSubscribers: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "subscribed" | "unsubscribed" | "bounced" | "complained" | "suppressed" | "transactional_only";
                /** @description Only this address. */
                readonly email?: string;
                /** @description The same as `email`. */
                readonly email_address?: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Subscriber"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly addSubscriber: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly email_address: string;
                    readonly display_name?: string | null;
                    /** @description Values for the text of newsletters by their names: a letter, then letters, digits and _. At most 50. */
                    readonly merge_fields?: {
                        readonly [key: string]: (string | number | boolean) | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriberAddOutcome"];
                };
            };
        };
    };
    readonly addSubscribers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly subscribers: readonly {
                        readonly [key: string]: unknown;
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriberAddOutcomes"];
                };
            };
        };
    };
    readonly getSubscriberByEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
                readonly email: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscriber"];
                };
            };
        };
    };
    readonly getSubscriber: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
                readonly subscriber_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscriber"];
                };
            };
        };
    };
    readonly deleteSubscriber: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
                readonly subscriber_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateSubscriber: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
                readonly subscriber_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly display_name?: string | null;
                    /** @description Values for the text of newsletters by their names: a letter, then letters, digits and _. At most 50. */
                    readonly merge_fields?: {
                        readonly [key: string]: (string | number | boolean) | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscriber"];
                };
            };
        };
    };
    readonly unsubscribeSubscriber: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
                readonly subscriber_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Subscriber"];
                };
            };
        };
    };
    readonly exportAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly importAudience: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly audience_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "text/csv": string;
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AudienceImport"];
                };
            };
        };
    };
    readonly listNewsletters: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Newsletter"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly audience_id?: string | null;
                    /** @description By default the oldest verified domain. */
                    readonly newsletter_domain_id?: string | null;
                    /** @description By default the subject. */
                    readonly name?: string;
                    readonly from_name?: string | null;
                    /** @description Of the newsletter domain. */
                    readonly from_address?: string | null;
                    readonly reply_to_mailbox_id?: string | null;
                    readonly subject?: string;
                    readonly preview_text?: string | null;
                    /** @description BCP 47. Default: en. */
                    readonly language?: string;
                    /** @description 1 to 200 blocks. They come before body_html, and that before body_text. */
                    readonly blocks?: readonly {
                        readonly [key: string]: unknown;
                    }[];
                    /** @description Stored as one block of custom HTML. It is cleaned. */
                    readonly body_html?: string | null;
                    /** @description With blocks or body_html the text part; alone the paragraphs of the newsletter. */
                    readonly body_text?: string | null;
                    /** @description Default: 4. */
                    readonly send_window_hours?: number;
                    /**
                     * @description Default: private.
                     * @enum {string}
                     */
                    readonly archive_visibility?: "private" | "unlisted" | "public";
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly getNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly deleteNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly audience_id?: string | null;
                    /** @description By default the oldest verified domain. */
                    readonly newsletter_domain_id?: string | null;
                    /** @description By default the subject. */
                    readonly name?: string;
                    readonly from_name?: string | null;
                    /** @description Of the newsletter domain. */
                    readonly from_address?: string | null;
                    readonly reply_to_mailbox_id?: string | null;
                    readonly subject?: string;
                    readonly preview_text?: string | null;
                    /** @description BCP 47. Default: en. */
                    readonly language?: string;
                    /** @description 1 to 200 blocks. They come before body_html, and that before body_text. */
                    readonly blocks?: readonly {
                        readonly [key: string]: unknown;
                    }[];
                    /** @description Stored as one block of custom HTML. It is cleaned. */
                    readonly body_html?: string | null;
                    /** @description With blocks or body_html the text part; alone the paragraphs of the newsletter. */
                    readonly body_text?: string | null;
                    /** @description Default: 4. */
                    readonly send_window_hours?: number;
                    /**
                     * @description Default: private.
                     * @enum {string}
                     */
                    readonly archive_visibility?: "private" | "unlisted" | "public";
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly duplicateNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly preflightNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewsletterPreflight"];
                };
            };
        };
    };
    readonly previewNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewsletterPreview"];
                };
            };
        };
    };
    readonly listNewsletterDomains: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["NewsletterDomain"][];
                    };
                };
            };
        };
    };
    readonly listNewsletterAssets: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["NewsletterAsset"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                        readonly storage: {
                            readonly used_bytes: number;
                            /** @description Of the plan; null: no limit. */
                            readonly limit_bytes: number | null;
                        };
                    };
                };
            };
        };
    };
    readonly uploadNewsletterAsset: {
        readonly parameters: {
            readonly query?: {
                /** @description Of a file in the body. */
                readonly filename?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly url: string;
                    readonly filename: string;
                    readonly thumbnail_url?: string | null;
                };
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UploadedNewsletterAsset"];
                };
            };
        };
    };
    readonly getNewsletterAsset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly asset_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewsletterAsset"];
                };
            };
        };
    };
    readonly deleteNewsletterAsset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly asset_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly scheduleNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: date-time
                     * @description In the future.
                     */
                    readonly scheduled_at: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly cancelNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly resumeNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Newsletter"];
                };
            };
        };
    };
    readonly testSendNewsletter: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly recipient_email: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewsletterTestSend"];
                };
            };
        };
    };
    readonly listNewsletterRecipients: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
                readonly status?: "waiting" | "queued" | "delivered" | "bounced" | "skipped";
            };
            readonly header?: never;
            readonly path: {
                readonly newsletter_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["NewsletterRecipient"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Webhook"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description An https:// URL on the public Internet, without a user name or a fragment. Redirects are not followed, and the address is checked at each delivery. */
                    readonly url: string;
                    /** @description Subscribed event types, each once. */
                    readonly events: readonly components["schemas"]["WebhookEventType"][];
                    readonly description?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    readonly getWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    readonly deleteWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description An https:// URL on the public Internet, without a user name or a fragment. Redirects are not followed, and the address is checked at each delivery. */
                    readonly url?: string;
                    /** @description Subscribed event types, each once. */
                    readonly events?: readonly components["schemas"]["WebhookEventType"][];
                    readonly description?: string | null;
                    readonly active?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    readonly testWebhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                readonly status?: "pending" | "delivered" | "failed";
                readonly event_type?: "message.received" | "message.sent" | "message.delivered" | "message.bounced" | "message.complained" | "mailbox.rule_matched" | "booking.created" | "booking.rescheduled" | "booking.cancelled" | "newsletter.scheduled" | "newsletter.started" | "newsletter.paused" | "newsletter.sent" | "newsletter.failed" | "subscriber.unsubscribed" | "subscriber.bounced" | "subscriber.complained" | "calendar.event_created" | "calendar.event_updated" | "calendar.event_deleted" | "calendar.invitation_replied" | "import.completed" | "import.failed" | "import.undone" | "domain.verified" | "domain.verification_failed" | "domain.degraded" | "domain.registered" | "domain.registration_failed" | "domain.renewed" | "domain.renewal_failed" | "org.reputation_warning" | "org.sending_throttled" | "org.sending_suspended" | "org.reputation_recovered" | "webhook.test";
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["WebhookDelivery"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly getWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    readonly replayWebhookDelivery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly webhook_id: string;
                readonly delivery_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Only events of this type. */
                readonly type?: "message.received" | "message.sent" | "message.delivered" | "message.bounced" | "message.complained" | "mailbox.rule_matched" | "booking.created" | "booking.rescheduled" | "booking.cancelled" | "newsletter.scheduled" | "newsletter.started" | "newsletter.paused" | "newsletter.sent" | "newsletter.failed" | "subscriber.unsubscribed" | "subscriber.bounced" | "subscriber.complained" | "calendar.event_created" | "calendar.event_updated" | "calendar.event_deleted" | "calendar.invitation_replied" | "import.completed" | "import.failed" | "import.undone" | "domain.verified" | "domain.verification_failed" | "domain.degraded" | "domain.registered" | "domain.registration_failed" | "domain.renewed" | "domain.renewal_failed" | "org.reputation_warning" | "org.sending_throttled" | "org.sending_suspended" | "org.reputation_recovered" | "webhook.test";
                /** @description Only events of this time or later. */
                readonly created_after?: string;
                /** @description Only events before this time. */
                readonly created_before?: string;
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Event"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly listSuppressions: {
        readonly parameters: {
            readonly query?: {
                /** @description Only this address. */
                readonly email?: string;
                readonly reason?: "hard_bounce" | "complaint" | "manual";
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["Suppression"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createSuppression: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly email_address: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    readonly getSuppression: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly email: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Suppression"];
                };
            };
        };
    };
    readonly deleteSuppression: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly email: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listApiKeys: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the previous page; it contains the filters. */
                readonly cursor?: string;
                /** @description Items in the page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: readonly components["schemas"]["ApiKey"][];
                        readonly pagination: {
                            readonly next_cursor: string | null;
                            readonly has_more: boolean;
                            readonly limit: number;
                        };
                    };
                };
            };
        };
    };
    readonly createApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                    /** @description A subset of the scopes of the calling key. */
                    readonly scopes: readonly ("domains:read" | "domains:write" | "mailboxes:read" | "mailboxes:write" | "messages:read" | "messages:write" | "threads:read" | "audiences:read" | "audiences:write" | "newsletters:read" | "newsletters:write" | "calendar:read" | "calendar:write" | "booking_pages:read" | "booking_pages:write" | "webhooks:read" | "webhooks:write" | "suppressions:read" | "suppressions:write" | "api_keys:read" | "api_keys:write" | "usage:read" | "billing:read" | "billing:write" | "organization:read" | "organization:write")[];
                    /** @description Only these mailboxes; null: all. */
                    readonly mailbox_ids?: readonly string[] | null;
                    /** @description Only these domains and their mailboxes; null: all. */
                    readonly domain_ids?: readonly string[] | null;
                    /** @description IP addresses and ranges that may use the key; null: all. */
                    readonly allowed_ips?: readonly string[] | null;
                    /**
                     * Format: date-time
                     * @description In the future; null: never.
                     */
                    readonly expires_at?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    readonly getApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readonly deleteApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done; no content. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly updateApiKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string;
                    /** @description A subset of the scopes of the calling key. */
                    readonly scopes?: readonly ("domains:read" | "domains:write" | "mailboxes:read" | "mailboxes:write" | "messages:read" | "messages:write" | "threads:read" | "audiences:read" | "audiences:write" | "newsletters:read" | "newsletters:write" | "calendar:read" | "calendar:write" | "booking_pages:read" | "booking_pages:write" | "webhooks:read" | "webhooks:write" | "suppressions:read" | "suppressions:write" | "api_keys:read" | "api_keys:write" | "usage:read" | "billing:read" | "billing:write" | "organization:read" | "organization:write")[];
                    /** @description Only these mailboxes; null: all. */
                    readonly mailbox_ids?: readonly string[] | null;
                    /** @description Only these domains and their mailboxes; null: all. */
                    readonly domain_ids?: readonly string[] | null;
                    /** @description IP addresses and ranges that may use the key; null: all. */
                    readonly allowed_ips?: readonly string[] | null;
                    /**
                     * Format: date-time
                     * @description In the future; null: never.
                     */
                    readonly expires_at?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    readonly getBilling: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Billing"];
                };
            };
        };
    };
    readonly startCheckout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly plan: "solo" | "pro" | "team";
                    readonly trial?: boolean;
                    /** @description Where the customer returns to, an http(s):// URL. Default: the URL of this server. */
                    readonly return_url?: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingLink"];
                };
            };
        };
    };
    readonly openBillingPortal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Where the customer returns to, an http(s):// URL. Default: the URL of this server. */
                    readonly return_url?: string;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BillingLink"];
                };
            };
        };
    };
    readonly getOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    readonly updateOrganization: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name?: string;
                    readonly legal_name?: string | null;
                    readonly postal_address?: string | null;
                    readonly require_test_send?: boolean;
                    /** @description An https:// URL. null: no logo. */
                    readonly logo_url?: string | null;
                    /** @description Such as `#1a56b0`. null: the usual one. */
                    readonly accent_color?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    readonly getOpenApiDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Success. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
    };
}
