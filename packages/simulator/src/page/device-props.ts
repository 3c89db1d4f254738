interface Spec {
  readonly name: string;
}

/** The encoder of the real page, in a form of its own: scripts may replace its function. */
export const protobuf = {
  encodeProtobuf: (spec: Spec, value: object): string => JSON.stringify({ is: spec.name, ...value }),
};

const devicePropsSpec: Spec = { name: 'DeviceProps' };

/**
 * What this page registers when it connects without a link, as the network gets it: the browser, and the operating
 * system by the user agent. Undefined while the module is broken, which the page itself does not need.
 */
export function deviceProps(): string | undefined {
  const [, os = 'Linux'] = /(Mac OS|Windows)/.exec(navigator.userAgent) ?? [];
  try {
    return protobuf.encodeProtobuf(devicePropsSpec, { os, platformType: 'CHROME' });
  } catch {
    return undefined;
  }
}
