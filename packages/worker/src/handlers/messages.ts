import type { Handlers } from '@chat-web/protocol';
import { GatewayError, STATUS_FEED } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { takeFromPage } from '../media/incoming-media.ts';
import { loadMedia } from '../page/media.ts';
import { deleteMessage, editMessage, react } from '../page/messages.ts';
import { messageNotFound } from './not-found.ts';
import { notCarriedOut, readMessage, refusedBy, sendMedia, sendPlain } from './sending.ts';
import { postText } from './status-feed.ts';

const CHANGE_TIMEOUT_MS = 25_000;
const DOWNLOAD_TIMEOUT_MS = 110_000;
/** For the page's own download, which runs before ours. */
const OWN_DOWNLOAD_MS = 100_000;

/** Handlers of the operations on messages. */
export function messageHandlers(
  context: HandlerContext,
): Handlers<'sendMessage' | 'editMessage' | 'deleteMessage' | 'getMedia'> {
  const { page } = context;
  return {
    sendMessage: async (input, attempt) => {
      switch (input.type) {
        case 'text':
          return input.to === STATUS_FEED ? postText(page, input) : sendPlain(page, input, attempt);
        case 'location':
        case 'contact':
        case 'poll':
          return sendPlain(page, input, attempt);
        case 'reaction': {
          const { messageId, emoji } = input;
          const outcome = await page.change(CHANGE_TIMEOUT_MS, react, messageId, emoji);
          if (outcome === 'no_message') throw messageNotFound();
          if (outcome === 'blocked') throw new GatewayError('not_permitted', 'the account has blocked the recipient');
          if (outcome === 'unknown')
            throw new GatewayError('outcome_unknown', 'the web client did not report whether the reaction was sent');
          if (outcome !== 'ok') throw refusedBy(outcome.refused);
          return { id: messageId, messageId, emoji };
        }
        default:
          return sendMedia(context, input, attempt);
      }
    },

    editMessage: async ({ messageId, body, mentions }) => {
      const edited = await page.change(CHANGE_TIMEOUT_MS, editMessage, messageId, body, mentions);
      if (edited === 'no_message') throw messageNotFound();
      if (edited === 'not_mine') {
        throw new GatewayError('not_permitted', 'only messages that this account sent can be edited');
      }
      if (edited === 'not_editable') throw new GatewayError('not_permitted', 'this message cannot be edited');
      if (edited === 'too_late') throw new GatewayError('edit_window_closed', 'the message is too old to be edited');
      if (edited === 'unknown')
        throw new GatewayError('outcome_unknown', 'the web client did not report whether the message was edited');
      if (edited && 'refused' in edited) throw refusedBy(edited.refused);
      return { ...readMessage(edited), body };
    },

    deleteMessage: async ({ messageId, forEveryone }) => {
      const deletedFor = await page.change(CHANGE_TIMEOUT_MS, deleteMessage, messageId, forEveryone);
      if (deletedFor === 'no_message') throw messageNotFound();
      if (deletedFor === 'not_mine')
        throw new GatewayError('not_permitted', 'the status of another account cannot be deleted');
      if (deletedFor === 'only_for_everyone') {
        throw new GatewayError('not_permitted', 'a status can only be deleted for everyone');
      }
      if (deletedFor === 'ignored') throw notCarriedOut();
      if (deletedFor === 'unknown')
        throw new GatewayError(
          'outcome_unknown',
          'the web client did not report whether the message was deleted for everyone',
        );
      if (typeof deletedFor === 'object') throw refusedBy(deletedFor.refused);
      return { id: messageId, deletedFor };
    },

    getMedia: async ({ messageId }) => {
      const [type, timeoutMs] = ['application/octet-stream', DOWNLOAD_TIMEOUT_MS];
      const taken = await takeFromPage(context, type, timeoutMs, loadMedia, messageId, OWN_DOWNLOAD_MS);
      if (typeof taken !== 'string') return taken;
      if (taken === 'no_message') throw messageNotFound();
      if (taken === 'later') throw refusedBy(429);
      if (taken === 'unfinished')
        throw new GatewayError('client_failed', 'the page is still downloading the media; retry later');
      throw new GatewayError(
        'media_not_found',
        taken === 'no_media'
          ? 'the message has no media'
          : 'the network does not have the media: they have expired, or are not uploaded yet',
      );
    },
  };
}
