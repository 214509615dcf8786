/** Notices in other languages, written for these tests: the sentences of Exchange and of mailbox providers. All name u@d.test. */

export type Notice = readonly [from: string, subject: string, text: string, bounceClass: 'hard' | 'soft']

export const NOTICES_ABROAD: readonly Notice[] = [
  [
    'Postmaster',
    'Unzustellbar: Angebot',
    'Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen:\n\nu@d.test (u@d.test)\nDie eingegebene E-Mail-Adresse konnte nicht gefunden werden. Überprüfen Sie die E-Mail-Adresse des Empfängers.',
    'hard',
  ],
  [
    'Mail Delivery System',
    'Nachricht konnte nicht zugestellt werden',
    'Ihre Nachricht an u@d.test konnte nicht zugestellt werden.\nGrund: Das Postfach des Empfängers ist voll.',
    'soft',
  ],
  ['MAILER-DAEMON', 'Zustellung fehlgeschlagen', 'Der folgende Empfänger ist unbekannt:\n  <u@d.test>', 'hard'],
  [
    'Microsoft Outlook',
    'Non remis : Offre',
    "Échec de la remise pour ces destinataires ou groupes :\n\nu@d.test\nL'adresse e-mail que vous avez entrée est introuvable.",
    'hard',
  ],
  [
    'Mail Delivery Subsystem',
    'Message non distribué',
    "Votre message n'a pas pu être remis au destinataire suivant : u@d.test\nRaison : boîte aux lettres pleine",
    'soft',
  ],
  [
    'postmaster',
    'Échec de remise du courrier',
    "Le message destiné à <u@d.test> n'a pas été distribué.\nUtilisateur inconnu.",
    'hard',
  ],
  [
    'Postmaster',
    'No se puede entregar: Oferta',
    'No se pudo entregar el mensaje a los siguientes destinatarios o grupos:\n\nu@d.test\nNo se encontró la dirección de correo electrónico que especificó.',
    'hard',
  ],
  [
    'MAILER-DAEMON',
    'Mensaje devuelto',
    'Su mensaje no pudo ser entregado a u@d.test porque el buzón está lleno.',
    'soft',
  ],
  ['Mail Delivery System', 'Correo no entregado', 'El usuario u@d.test no existe en este servidor.', 'hard'],
  [
    'Postmaster',
    'Non recapitabile: Offerta',
    "Recapito non riuscito per i seguenti destinatari o gruppi:\n\nu@d.test\nImpossibile trovare l'indirizzo di posta elettronica immesso.",
    'hard',
  ],
  [
    'MAILER-DAEMON',
    'Mancata consegna del messaggio',
    'Il messaggio per u@d.test non è stato consegnato: la casella del destinatario è piena.',
    'soft',
  ],
  [
    'Postmaster',
    'Falha na entrega: Oferta',
    'Falha na entrega a estes destinatários ou grupos:\n\nu@d.test\nO endereço de e-mail inserido não foi encontrado.',
    'hard',
  ],
  [
    'MAILER-DAEMON',
    'Mensagem não entregue',
    'Não foi possível entregar a mensagem a u@d.test. A caixa postal do destinatário está cheia.',
    'soft',
  ],
  [
    'Postmaster',
    'Onbestelbaar: Aanbod',
    'Het bericht kon niet worden bezorgd bij de volgende geadresseerden of groepen:\n\nu@d.test\nHet e-mailadres dat u hebt ingevoerd, kan niet worden gevonden.',
    'hard',
  ],
  [
    'Postmaster',
    'Недоставлено: Предложение',
    'Не удалось выполнить доставку следующим получателям или группам рассылки:\n\nu@d.test\nНе удается найти указанный адрес электронной почты.',
    'hard',
  ],
  [
    'Mail Delivery System',
    'Сообщение не доставлено',
    'Ваше письмо для u@d.test не может быть доставлено: почтовый ящик переполнен.',
    'soft',
  ],
  ['Postmaster', '系统退信', '很抱歉,您的邮件被退回来了。\n收件人邮件地址:u@d.test\n退信原因:收件人邮箱不存在', 'hard'],
  ['MAILER-DAEMON', '邮件投递失败', '您发送的邮件无法投递到以下收件人:\nu@d.test\n原因:对方邮箱空间已满', 'soft'],
  [
    'Postmaster',
    '配信不能: 見積',
    '次の受信者またはグループへの配信に失敗しました:\n\nu@d.test\n入力した電子メール アドレスが見つかりませんでした。',
    'hard',
  ],
  [
    'Mail Delivery System',
    'メールを配信できませんでした',
    '次のあて先へのメッセージはエラーのため送信できませんでした。\n送信先:<u@d.test>\nメールボックスの容量を超えています。',
    'soft',
  ],
  ['Mail Administrator', 'エラーメール', '宛先 u@d.test は存在しません。', 'hard'],
  [
    'Postmaster',
    '배달 실패: 견적',
    '다음 받는 사람 또는 그룹에게 배달하지 못했습니다.\n\nu@d.test\n입력한 전자 메일 주소를 찾을 수 없습니다.',
    'hard',
  ],
  [
    'Postmaster',
    'Niedostarczone: Oferta',
    'Nie można dostarczyć wiadomości do następujących adresatów lub grup:\n\nu@d.test\nNie znaleziono wprowadzonego adresu e-mail.',
    'hard',
  ],
  [
    'Postmaster',
    'Går inte att leverera: Offert',
    'Det gick inte att leverera till följande mottagare eller grupper:\n\nu@d.test\nDet gick inte att hitta den angivna e-postadressen.',
    'hard',
  ],
  [
    'MAILER-DAEMON',
    'Kan ikke leveres: Tilbud',
    'Meddelelsen kunne ikke leveres til følgende modtagere:\n\nu@d.test\nPostkassen er fuld.',
    'soft',
  ],
  [
    'Postmaster',
    'Teslim edilemedi: Teklif',
    'Şu alıcılara veya gruplara teslim edilemedi:\n\nu@d.test\nGirdiğiniz e-posta adresi bulunamadı.',
    'hard',
  ],
]
