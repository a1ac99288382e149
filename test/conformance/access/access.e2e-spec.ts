import { startEmbeddedCluster } from '../test.cluster.js';
import { describeAccess } from './access.suite.js';

describeAccess('access to embedded-kube', () => startEmbeddedCluster({ authorization: 'rbac' }));
