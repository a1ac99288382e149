import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeFlowControl } from './flow-control.suite.js';

describeFlowControl('flow control of a real control plane', () => startTestCluster());
