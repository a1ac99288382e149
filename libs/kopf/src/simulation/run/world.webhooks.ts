import { TestWebhooks } from '../../testing/test.webhooks.js';
import type { WorldProcess } from './world.process.js';

/** Brings reviews to the operator of a run, unless the plan says that they do not arrive. */
export class WorldWebhooks extends TestWebhooks {
  /** @param isLost is asked at each review. */
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
