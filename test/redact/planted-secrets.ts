/** Secrets of known forms. They are built from LETTERS, so that scanners for leaked secrets ignore this file. */
const LETTERS = "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8U9v0W1x2Y3z4a5B6c7D8e9F0g1H2";

/** A text with a secret. Everything but the secret must stay as it is. */
export interface PlantedSecret {
  readonly text: string;
  readonly secret: string;
}

/** The planted secrets by their form. */
export const PLANTED_SECRETS: { readonly [form: string]: PlantedSecret } = {
  "aws access key": createSecret(`AKIA${LETTERS.toUpperCase().slice(0, 16)}`),
  "aws secret in a setting": createSecret(LETTERS.slice(0, 40), "AWS_SECRET_ACCESS_KEY="),
  "github token": createSecret(`ghp_${LETTERS.slice(0, 36)}`),
  "gitlab token": createSecret(`glpat-${LETTERS.slice(0, 20)}`),
  "slack token": createSecret(`xoxb-${LETTERS.slice(0, 24)}`),
  "stripe key": createSecret(`sk_live_${LETTERS.slice(0, 24)}`),
  "model provider key": createSecret(`sk-ant-${LETTERS.slice(0, 40)}`),
  "google key": createSecret(`AIza${LETTERS.slice(0, 35)}`),
  "npm token": createSecret(`npm_${LETTERS.slice(0, 36)}`),
  "json web token": createSecret(
    `eyJ${LETTERS.slice(0, 12)}.eyJ${LETTERS.slice(12, 30)}.${LETTERS.slice(30, 50)}`,
  ),
  "bearer header": createSecret(LETTERS.slice(0, 30), "Authorization: Bearer "),
  "password of a url": createSecret("hunter2hunter2", "postgres://app:", "@db.example.com/x"),
  "password in a setting": createSecret(LETTERS.slice(0, 12), "DB_PASSWORD='", "'"),
  "private key": createSecret(
    `\n${LETTERS}\n`,
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
  ),
  "option of a command": createSecret(LETTERS.slice(0, 14), "mysql --password "),
  "json in a text": createSecret(LETTERS.slice(0, 18), '{"api_key":"', '"}'),
  "json in json in a text": createSecret(LETTERS.slice(0, 18), '{\\"api_key\\":\\"', '\\"}'),
};

function createSecret(secret: string, before = "", after = ""): PlantedSecret {
  return { text: before + secret + after, secret };
}

/** Texts that resemble secrets and are none. */
export const LOOK_ALIKES: readonly string[] = [
  "input_tokens=12345678",
  "the token: see the manual",
  "max_tokens: 4096000",
  "https://example.com:8080/path@v2",
  "skip-this-long-option-name-please",
  "task-this-long-option-name-please-2026-01-01",
  "API_KEY=$API_KEY",
  'api_key = os.environ["API_KEY"]',
  "const token = await readToken(request)",
  "password=process.env.PASSWORD",
  "password: <your password>",
  "password: ************",
  "DB_PASSWORD=[redacted]",
  "error: invalid token: expired",
  "the secret: nobody knows it",
  "--token is required",
  "token: string",
  "AKIA is a prefix",
  "Basic English grammar",
  "evt_01KQPNTYZ078KC0JSFASW9A2XZ",
  "run_01JXMZH8Q2V5N7R9T3W6Y8ZA9G",
  "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  "commit 8daffec4f2c5a0e1b7d3c9a8e6f4b2d1c0a9e8f7",
  "d26d4b5a-c542-4767-83f7-fbb2c1465919",
  `data:image/png;base64,iVBORw0KGgo${"AKIAeyJhbGciOiJIUzI1NiJ9skliveAIzaSyghp".repeat(40)}=`,
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 me@example.com",
  "integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==",
  "npm_config_registry",
  "sk_buff and skb_put",
  "git+https://github.com/owner/name.git#v1.2.3",
];
