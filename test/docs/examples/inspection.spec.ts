import { startWithDisks } from '../../support/operators/disks.js';
import { runApplication } from '../support/module.harness.js';
import {
  AppModule,
  FailuresController,
  GaugesModule,
  JournalModule,
  OperatorGauges,
  OperatorJournal,
} from './inspection.example.js';

describe('The examples of the inspection', () => {
  it('should start', async () => {
    const application = await runApplication(await startWithDisks(), AppModule);
    expect(await application.get(FailuresController, { strict: false }).list()).toEqual([]);
    const journal = await runApplication(await startWithDisks(), JournalModule);
    expect(journal.get(OperatorJournal, { strict: false }).lines).toEqual(expect.any(Array));
    const gauges = await runApplication(await startWithDisks(), GaugesModule);
    expect(gauges.get(OperatorGauges, { strict: false }).read()).toMatchObject({ state: 'running', waiting: 0 });
  });
});
