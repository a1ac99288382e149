import { EmbeddedKube } from 'embedded-kube';
import { ANSWER_SCENARIOS } from './webhook-answers.scenarios.js';
import { CONNECT_SCENARIOS } from './connect.scenarios.js';
import { prepare } from './webhook.fixtures.js';
import { CONFIGURATION_SCENARIOS } from './webhook-configuration.scenarios.js';
import { WEBHOOK_SCENARIOS } from './webhook.scenarios.js';
import { WebhookSide } from './webhook.side.js';
import { WebhookServer } from './webhook.server.js';
import { type ControlPlane, startControlPlane } from '../../support/clusters/control-plane.js';

describe('webhooks of embedded-kube and of a real control plane', () => {
  let controlPlane: ControlPlane;
  let kube: EmbeddedKube;
  let webhooks: WebhookServer;
  let sides: WebhookSide[];

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: false });
    webhooks = await WebhookServer.start(['127.0.0.1']);
    const token = 'conformance';
    kube = await EmbeddedKube.start({
      builtinControllers: false,
      users: { [token]: { name: 'admin', uid: 'admin', groups: ['system:masters'] } },
    });
    sides = [
      new WebhookSide('real', controlPlane.url, controlPlane.token, webhooks),
      new WebhookSide('embedded', kube.url, token, webhooks),
    ];
    await Promise.all(sides.map((side) => prepare(side)));
  });

  afterAll(async () => {
    for (const side of sides ?? []) side.close();
    await kube?.stop();
    await controlPlane?.stop();
    await webhooks?.stop();
  });

  it.each(
    [...ANSWER_SCENARIOS, ...WEBHOOK_SCENARIOS, ...CONFIGURATION_SCENARIOS, ...CONNECT_SCENARIOS].map((scenario) => ({
      title: scenario.name,
      scenario,
    })),
  )('should do the same: $title', async ({ scenario }) => {
    const real = await sides[0].run(scenario);
    const embedded = await sides[1].run(scenario);
    expect(embedded).toEqual(real);
  });
});
