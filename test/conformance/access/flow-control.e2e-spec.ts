import { startEmbeddedCluster } from '../test.cluster.js';
import { describeFlowControl } from './flow-control.suite.js';

describeFlowControl('flow control of embedded-kube', () => startEmbeddedCluster({ authorization: 'rbac' }));
