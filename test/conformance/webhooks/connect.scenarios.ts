import { allowing, get, patching, post, put, remove, rule, type WebhookScenario } from './webhook.scenario.js';
import { HOOK, OTHER, denying } from './webhook.objects.js';
import { NAMESPACE } from './webhook.side.js';

/** A pod that no scenario binds to a node. */
const POD = `/api/v1/namespaces/${NAMESPACE}/pods/unbound`;
const MISSING = `/api/v1/namespaces/${NAMESPACE}/pods/missing`;
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;

const CONNECTIONS = ['pods/*', 'services/proxy', 'nodes/proxy'];

const both = (hook: object = {}) => ({
  mutating: { one: [{ name: HOOK, rules: [rule(CONNECTIONS, ['CONNECT'])], ...hook }] },
  validating: { two: [{ name: OTHER, rules: [rule(CONNECTIONS, ['CONNECT'])], ...hook }] },
});

/** The scenarios in which somebody connects with a pod, a service, or a node through the server. */
export const CONNECT_SCENARIOS: readonly WebhookScenario[] = [
  {
    name: 'commands in a pod',
    ...both(),
    behaviours: { [HOOK]: allowing, [OTHER]: allowing },
    steps: [
      post(`${POD}/exec?command=id&command=-u&container=c&stdin=true&stdout=true&tty=true`, ''),
      get(`${POD}/exec?command=id`),
      post(`${POD}/exec`, ''),
      post(`${POD}/exec?command=id&stdout=false&stderr=0&stdin=&tty=no`, ''),
      post(`${POD}/exec?command=id&container=other`, ''),
      post(`${MISSING}/exec?command=id`, ''),
      post(`${POD}/exec?command=id&dryRun=All`, ''),
      post(`${POD}/attach?container=c&stdin=1&stdout=true`, ''),
      get(`${POD}/attach`),
      put(`${POD}/exec?command=id`, ''),
      remove(`${POD}/exec?command=id`),
    ],
  },
  {
    name: 'ports of a pod',
    ...both(),
    behaviours: { [HOOK]: allowing, [OTHER]: allowing },
    steps: [
      post(`${POD}/portforward?ports=80`, ''),
      post(`${POD}/portforward?ports=80&ports=81`, ''),
      post(`${POD}/portforward?ports=80,81`, ''),
      post(`${POD}/portforward?ports=none`, ''),
      get(`${POD}/portforward`),
      get(`${MISSING}/portforward`),
    ],
  },
  {
    name: 'the proxy of pods, services and nodes',
    ...both(),
    behaviours: { [HOOK]: denying(), [OTHER]: allowing },
    steps: [
      get(`${POD}/proxy`),
      get(`${POD}/proxy/`),
      get(`${POD}/proxy/a/b?c=d`),
      get(`${POD}/proxy/a/`),
      get(`/api/v1/namespaces/${NAMESPACE}/pods/https:unbound:443/proxy/a`),
      post(`${POD}/proxy/a`, { any: 'thing' }),
      put(`${POD}/proxy/a`, ''),
      remove(`${POD}/proxy/a`),
      get(`${SERVICES}/web:http/proxy/x`),
      get(`${SERVICES}/web/proxy`),
      get('/api/v1/nodes/n/proxy/pods'),
      get('/api/v1/nodes/n:10250/proxy'),
    ],
  },
  {
    name: 'connections that are rejected',
    ...both(),
    behaviours: { [HOOK]: allowing, [OTHER]: denying({ code: 403, reason: 'Forbidden', message: 'No shells here.' }) },
    steps: [
      post(`${POD}/exec?command=id`, ''),
      post(`${POD}/attach`, ''),
      post(`${POD}/portforward?ports=80`, ''),
      get(`${POD}/proxy/a`),
      get(`${SERVICES}/web/proxy`),
      get('/api/v1/nodes/n/proxy/pods'),
      post(`${MISSING}/exec?command=id`, ''),
      get(`${POD}/log`),
    ],
  },
  {
    name: 'connections that are changed',
    ...both(),
    behaviours: { [HOOK]: patching({ op: 'add', path: '/container', value: 'changed' }), [OTHER]: allowing },
    steps: [post(`${POD}/exec?command=id`, ''), post(`${POD}/attach?stdin=true`, '')],
  },
  {
    name: 'connections by selectors and other operations',
    ...both({
      objectSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
    }),
    validating: {
      two: [
        {
          name: OTHER,
          rules: [rule(['pods/attach', 'nodes/proxy'], ['CONNECT'])],
          namespaceSelector: { matchLabels: { team: 'hooks' } },
        },
        { name: 'three.conformance.example', rules: [rule(CONNECTIONS, ['CREATE', 'UPDATE', 'DELETE'])] },
        {
          name: 'four.conformance.example',
          rules: [rule(['*/*'], ['*'])],
          matchConditions: [
            {
              name: 'shell',
              expression:
                "request.operation == 'CONNECT' && request.subResource == 'exec' && object.command[0] == 'sh'",
            },
          ],
        },
      ],
    },
    behaviours: {
      [HOOK]: allowing,
      [OTHER]: allowing,
      'three.conformance.example': allowing,
      'four.conformance.example': allowing,
    },
    steps: [
      post(`${POD}/exec?command=sh`, ''),
      post(`${POD}/exec?command=id`, ''),
      post(`/api/v1/namespaces/default/pods/unbound/attach`, ''),
    ],
  },
];
