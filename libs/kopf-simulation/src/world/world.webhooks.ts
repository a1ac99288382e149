import { type TestServer, TestWebhooks } from 'nestjs-kopf/testing';
import type { WorldProcess } from './world.process.js';
import type { WorldServer } from './world.server.js';

/** Sends reviews to the operator of a run, unless the plan loses them. */
export class WorldWebhooks extends TestWebhooks {
  /** @param isLost called for each review */
  constructor(private readonly isLost: () => boolean) {
    super();
  }

  override async post(request: Parameters<TestWebhooks['post']>[0]) {
    if (this.isLost()) throw new Error('connect: connection refused');
    await (this.current?.process as WorldProcess | undefined)?.thawed;
    request.signal.throwIfAborted();
    return super.post(request);
  }
}

/** Wraps the server of a run for test applications, which do not close it. */
export function testServerOf(server: WorldServer, webhooks: WorldWebhooks): TestServer {
  return {
    url: server.url,
    namespace: 'default',
    isShared: false,
    webhooks,
    connect: (token) => server.transport(token),
    close: () => Promise.resolve(),
  };
}
