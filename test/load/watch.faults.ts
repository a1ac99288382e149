import type { KubeFaults } from 'embedded-kube';
import type { RandomChoices } from '../support/generators/random.choices.js';

const KINDS = [
  'broken line',
  'lost lines',
  'repeated lines',
  'garbage',
  'cut',
  'end',
  '410',
  'lost history',
  'rejections',
  'delay',
  'silence',
] as const;

/** Injects faults at random into the watches of a resource: all those that networks and servers cause. */
export class RandomWatchFaults {
  /** Counts the injected faults by their kinds. */
  readonly counts: Record<string, number> = {};
  private readonly target: { readonly resource: string };

  constructor(
    private readonly faults: KubeFaults,
    private readonly choices: RandomChoices,
    resource: string,
  ) {
    this.target = { resource };
  }

  inject(): void {
    const { faults, choices, target } = this;
    const kind = choices.pick(KINDS);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (kind === 'broken line') faults.damageLines('cut', target);
    // What gets lost is found by the next list only.
    else if (kind === 'lost lines') faults.damageLines('drop', { ...target, times: choices.between(1, 20) });
    else if (kind === 'repeated lines') faults.damageLines('repeat', { ...target, times: 5 });
    else if (kind === 'garbage') faults.damageLines('garble', target);
    else if (kind === 'cut' || kind === 'end') faults.damageWatches(kind, target);
    else if (kind === 'silence') faults.damageWatches('stall', target);
    else if (kind === '410') this.expire();
    else if (kind === 'lost history') {
      faults.expireHistory();
      faults.damageWatches('cut', target);
    } else if (kind === 'rejections') {
      faults.reject(choices.pick([500, 503]), { ...target, verb: ['list', 'watch'], times: 2 });
      faults.damageWatches('cut', target);
    } else {
      faults.delay(0.2, { ...target, verb: 'watch' });
      faults.damageWatches('end', target);
    }
  }

  /** Tells the watches that their versions are too old, so that everything is listed anew. */
  expire(): number {
    return this.faults.damageWatches({ error: 410, message: 'too old resource version' }, this.target);
  }

  /** Cancels the faults that nothing has met yet. */
  stop(): void {
    this.faults.clear();
  }
}
