import type { HealthIndicatorService } from '@nestjs/terminus';
import { KopfHealthIndicator } from './kopf-health.indicator.js';

const PAUSED = { status: 'degraded', state: 'paused', reasons: ['for maintenance'] };

/** An operator that pauses, and is well otherwise. */
const operator = {
  isWorking: true,
  isReadyWithoutOperator: false,
  evaluateReadiness: () => PAUSED,
  evaluateSync: () => ({ status: 'up' }),
  evaluateCredentials: () => ({ status: 'up' }),
};

function indicatorWith(...statuses: readonly string[]): KopfHealthIndicator {
  const report = (key: string, status: string) => (parts: object) => ({ [key]: { status, ...parts } });
  const check = (key: string) => Object.fromEntries(statuses.map((status) => [status, report(key, status)]));
  const terminus = { check } as unknown as HealthIndicatorService;
  const handlers = { evaluate: () => ({}) };
  return new KopfHealthIndicator(terminus, operator as never, handlers as never, {} as never, {} as never, {} as never);
}

describe('KopfHealthIndicator', () => {
  it('should report an operator that pauses as degraded', async () => {
    const indicator = indicatorWith('up', 'degraded', 'down');
    expect(await indicator.isReady('kopf')).toMatchObject({ kopf: { status: 'degraded', operator: PAUSED } });
  });

  it('should report it as up, with a part that is degraded, to Terminus 11, which leaves out what it does not know', async () => {
    const indicator = indicatorWith('up', 'down');
    expect(await indicator.isReady('kopf')).toMatchObject({ kopf: { status: 'up', operator: PAUSED } });
  });
});
