import { Inject, Injectable, Module } from '@nestjs/common';
import { KOPF_CLOCK, KopfModule, OnCreate, OnLogin, OnUpdate, type Clock, type ConnectionInfo } from 'nestjs-kopf';
import { simulate, type SimulatedState, type SimulatedUser, type SimulationPlan } from 'nestjs-kopf-simulation';
import { kopfMatchers } from 'nestjs-kopf/testing';

expect.extend(kopfMatchers);

const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'claim' } }, data: {} };
const CLAIMS = { labels: { app: 'claim' } };
const LIFETIME = 60;

/** Issues tokens, which are in the memory of the run in a test. */
@Injectable()
class Tokens {
  issue(): string {
    throw new Error('There are no tokens here.');
  }
}

@Injectable()
class ClaimOperator {
  constructor(
    @Inject(Tokens) private readonly tokens: Tokens,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnLogin({ backoff: 1 })
  login(): ConnectionInfo {
    const token = this.tokens.issue();
    const expiration = new Date(this.clock.now() + LIFETIME * 1000);
    return { server: 'https://cluster.example.com', token, expiration };
  }

  @OnCreate('configmaps.v1', CLAIMS)
  @OnUpdate('configmaps.v1', CLAIMS)
  handle({ uid }: { readonly uid: string }): string {
    return uid;
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [ClaimOperator, Tokens] })
class ClaimsModule {}

async function workload(kube: SimulatedUser): Promise<void> {
  await kube.apply(claim);
  await kube.settled();
  await kube.advance(2 * LIFETIME);
  await kube.patch(claim, { data: { size: '2' } });
}

const tokensOf = ({ memory }: SimulatedState['effects']): string[] => (memory.get('tokens') ?? []) as string[];

function run(logins: boolean, plans: readonly SimulationPlan[] = [], least = 1) {
  function logsIn({ effects }: SimulatedState) {
    return logins ? tokensOf(effects).length >= least : tokensOf(effects).length === 0;
  }
  return simulate(ClaimsModule, {
    workload,
    logins,
    plans,
    eventually: [logsIn],
    override: (builder, effects) =>
      builder.overrideProvider(Tokens).useValue({
        issue: () => {
          const tokens = tokensOf(effects);
          const attempt = ((effects.memory.get('attempts') ?? 0) as number) + 1;
          effects.memory.set('attempts', attempt);
          // A login that fails is tried again.
          if (attempt % 2 === 0) throw new Error('Tokens are not issued now.');
          tokens.push(`token-${attempt}`);
          effects.memory.set('tokens', tokens);
          return tokens.at(-1);
        },
      }),
  });
}

describe('Logins in a simulation', () => {
  it('should come without the handlers of the operator by default', async () => {
    expect(await run(false)).toHaveNoFindings();
  });

  it('should be the handlers of the operator on request, which are called again when credentials expire', async () => {
    expect(await run(true, [], 2)).toHaveNoFindings();
  });

  it('should be repeated when the API server rejects the credentials', async () => {
    const plans = [1, 2].map((ofAttempt): SimulationPlan => ({
      seed: 1,
      faults: [{ kind: 'error', ofAttempt, status: 401 }],
      found: 'nothing',
    }));
    expect(await run(true, plans, 2)).toHaveNoFindings();
  });
});
