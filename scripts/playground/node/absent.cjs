/** Returns a module of which every export is a function that throws. Modules inherit from it, so it also has their other exports. */
module.exports = (name) =>
  Object.create(
    new Proxy(
      {},
      {
        get: (_target, member) =>
          member === "__esModule" ||
          (() => {
            throw new Error(`The playground does not contain ${name}: ${String(member)}.`);
          }),
      },
    ),
  );
