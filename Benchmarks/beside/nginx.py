"""nginx as the gateway that both sides call, and as the bare proxy that purser is measured beside."""
import shutil

from .processes import Server, free_port

PATH = "/paymentservices/paymentSession"
# One process, no log, connections that live for the whole run: nginx at its best.
FRAME = """\
daemon off;
master_process off;
pid {folder}/{name}.pid;
error_log {folder}/{name}.log error;
worker_rlimit_nofile 20000;
events {{ worker_connections 9000; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    keepalive_timeout 600s;
    client_body_temp_path {folder}/{name}.body;
    proxy_temp_path {folder}/{name}.proxy;
    fastcgi_temp_path {folder}/{name}.fastcgi;
    uwsgi_temp_path {folder}/{name}.uwsgi;
    scgi_temp_path {folder}/{name}.scgi;
{body}
}}
"""


def answer():
    """As large as Apple's: a session is mostly the hex of its CMS signature."""
    return ('{"epochTimestamp":1700000000000,"expiresAt":1700003600000,'
            f'"merchantSessionIdentifier":"SSH{"A" * 900}","nonce":"00c0ffee",'
            f'"domainName":"bench.example.com","signature":"{"30" * 1300}"}}')


def gateway(folder, authority, pause=0):
    """A server that demands a client certificate and answers every request with a session.

    It takes `pause` seconds for each answer, with the echo module that is part of Debian's nginx.
    """
    key, certificate = authority.gateway()
    port = free_port()
    action = f"return 200 '{answer()}';"
    if pause:
        action = f"echo_read_request_body; echo_sleep {pause}; echo '{answer()}';"
    return _server(folder, "gateway", port, f"""
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        ssl_client_certificate {authority.certificate};
        ssl_verify_client on;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:gateway:4m;
        location = {PATH} {{
            default_type application/json;
            {action}
        }}
    }}""", modules="load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;" if pause else "")


def proxy(folder, authority, upstream):
    """A proxy that adds a client certificate and nothing else."""
    key, certificate = authority.client()
    port = free_port()
    return _server(folder, "proxy", port, f"""
    upstream gateway {{
        server 127.0.0.1:{upstream};
        keepalive 512;
        keepalive_requests 100000000;
    }}
    server {{
        listen 127.0.0.1:{port};
        location = {PATH} {{
            proxy_pass https://gateway;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host localhost;
            proxy_ssl_certificate {certificate};
            proxy_ssl_certificate_key {key};
            proxy_ssl_trusted_certificate {authority.certificate};
            proxy_ssl_verify on;
            proxy_ssl_name localhost;
            proxy_ssl_server_name on;
            proxy_ssl_protocols TLSv1.2 TLSv1.3;
        }}
    }}""")


def _server(folder, name, port, body, modules=""):
    configuration = folder / f"{name}.conf"
    configuration.write_text(modules + FRAME.format(folder=folder, name=name, body=body))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    # -e, because until it has read its configuration it would write to a log of the system's.
    command = [program, "-p", folder, "-c", configuration, "-e", folder / f"{name}.log"]
    return Server([str(word) for word in command], port, folder / f"{name}.out")
