import { startEmbeddedCluster } from '../test.cluster.js';
import { describePolicies } from './policies.suite.js';

describePolicies('admission policies of embedded-kube', () => startEmbeddedCluster({ authorization: 'rbac' }));
