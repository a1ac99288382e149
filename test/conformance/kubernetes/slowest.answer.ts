import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { load } from 'js-yaml';

/** Between two questions, in milliseconds. */
const PAUSE = 200;
/** An answer that takes longer is told at once, in milliseconds: it shows which tests ran meanwhile. */
const LONG = 1000;

/** Asks a server all the time whether it is ready, to notice when it does not answer. */
export class SlowestAnswer {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  private slowest = 0;
  private stopped = false;
  private readonly asking: Promise<void>;

  private constructor(private readonly url: string) {
    this.asking = this.ask();
  }

  static watch(kubeconfigPath: string): SlowestAnswer {
    const { clusters } = load(readFileSync(kubeconfigPath, 'utf8')) as { clusters: { cluster: { server: string } }[] };
    return new SlowestAnswer(`${clusters[0].cluster.server}/readyz`);
  }

  /** Ends the questions, and gives the longest time that an answer has taken, in milliseconds. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.asking;
    this.agent.destroy();
    return Math.round(this.slowest);
  }

  private async ask(): Promise<void> {
    while (!this.stopped) {
      const start = performance.now();
      await this.answer();
      const took = performance.now() - start;
      if (took > LONG) console.log(`SLOW      ${(took / 1000).toFixed(1).padStart(5)} s  GET /readyz`);
      this.slowest = Math.max(this.slowest, took);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  private answer(): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, { agent: this.agent }, (response) => {
        response.resume().on('end', resolve);
      });
      outgoing.on('error', reject).end();
    });
  }
}
