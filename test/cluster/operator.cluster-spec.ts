import { describeOperator } from '../operator/operator.suite.js';
import { startTestCluster } from './cluster.access.js';

describeOperator('an operator on a real control plane', () => startTestCluster({ controllers: false }));
