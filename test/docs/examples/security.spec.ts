import { Injectable } from '@nestjs/common';
import { KopfSettings, OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operator.harness.js';
import { createApplication } from '../support/module.harness.js';
import { AppModule } from './security.example.js';

describe('The examples of security', () => {
  it('should not log the fields that are named', async () => {
    const harness = await OperatorHarness.start();
    const { redaction } = (await createApplication(harness, AppModule)).get(KopfSettings);

    @Injectable()
    class Operator {
      @OnCreate('kopfexamples')
      @OnUpdate('kopfexamples')
      handle({ patch }: ChangeContext) {
        patch.spec.b = { token: 'canary' };
      }
    }
    await harness.run(Operator, { redaction });
    await harness.create('a', { spec: { a: { token: 'canary', name: 'shown' } } });
    await harness.advance(10);
    await harness.patch('a', { spec: { a: { token: 'other canary' } } });
    await harness.advance(10);
    const lines = [...harness.logger.messages(), ...harness.logger.verboseMessages].join('\n');
    expect(lines).not.toContain('canary');
    expect(lines).toContain('"spec":{"a":{"name":"shown","token":"***"}}');
    expect(lines).toContain('["change",["spec","a","token"],"***","***"]');
    expect(lines).toContain('"spec":{"b":{"token":"***"}}');
  });
});
