export { connectMessaging, type Messaging, type MessagingOptions } from "./connection.ts";
export { type ConsumeOptions, consumeNotices, type NoticeConsumer } from "./consume.ts";
export { DISPATCHER, noticeLag } from "./lag.ts";
export { lagMetrics, noticeMetrics, type NoticeMetrics } from "./metrics.ts";
export { NoticePublisher, type NoticePublisherOptions, type Notices } from "./publish.ts";
export { messagingSettings } from "./settings.ts";
export { NOTICE_KINDS, type Notice, type NoticeKind, type NoticeTrace } from "./subjects.ts";
