import { IDENTITY, snapshot } from '../session/index.ts';
import { CallError, type Handlers } from './call.ts';

export const serverMethods: Pick<Handlers, 'ping' | 'server.stop' | 'session.snapshot' | 'notification.show'> = {
  ping: () => ({
    type: 'pong',
    ...IDENTITY,
    capabilities: { live_handoff: false, detached_server_daemon: false },
  }),
  'server.stop': (_params, { stopServer }) => ({ result: { type: 'ok' }, afterwards: stopServer }),
  'session.snapshot': (_params, { session }) => ({ type: 'session_snapshot', snapshot: snapshot(session) }),
  'notification.show': ({ title }) => {
    if (title.trim() === '') throw new CallError('invalid_params', 'a notification needs a title');
    return { type: 'notification_show', shown: false, reason: 'no_foreground_client' };
  },
};
